import { existsSync } from 'node:fs';
import { createHost, memoryWorkspace } from '@toolwright/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { mcpServers } from '../../src/index.ts';
import { fixture, openServers, until } from './fixtures/open.ts';
import { isAlive, pidFile } from './fixtures/pids.ts';

describe('starting', () => {
  test('a server that is broken, slow or disabled costs the others nothing, and is listed with its reason', async () => {
    const { session, mcp } = await openServers({
      good: fixture('plain'),
      silent: { ...fixture('silent'), connectTimeoutMs: 400 },
      exits: fixture('exit'),
      missing: { command: '/nowhere/to/be/found' },
      off: { ...fixture('plain'), disabled: true },
      unreadable: { command: 'x', args: ['${env:NOBODY}'] },
    });
    expect(session.toolNames()).toEqual(['mcp__good__echo']);
    expect((await session.tool('mcp__good__echo', { message: 'hi' })).output).toBe('Echo: hi');
    const absent = session.surface().filter(({ state }) => state === 'absent');
    expect(absent.map(({ name, reason }) => [name, reason])).toEqual([
      [
        'mcp__exits',
        expect.stringMatching(/^server exits failed: .*exit code 5.*cannot find the database$/),
      ],
      ['mcp__missing', expect.stringMatching(/^server missing failed: .*ENOENT/)],
      ['mcp__off', 'server off is disabled'],
      ['mcp__silent', 'server silent failed: it was not ready within 400 ms (connectTimeoutMs)'],
      ['mcp__unreadable', 'server unreadable failed: config_error: env NOBODY is not set (args.0)'],
    ]);
    expect(mcp.status(session.id).map(({ server, state }) => [server, state])).toEqual([
      ['good', 'ready'],
      ['silent', 'failed'],
      ['exits', 'failed'],
      ['missing', 'failed'],
      ['off', 'disabled'],
    ]);
    const unknown = await session.tool('mcp__exits');
    expect(unknown.error?.message).toContain('exit code 5');
  });

  test('what a program writes to the wrong stream is counted and does no harm', async () => {
    const { session, mcp } = await openServers({ s: fixture('noise') });
    expect((await session.tool('mcp__s__echo', { message: 'hi' })).output).toBe('Echo: hi');
    expect(mcp.status(session.id)[0]?.noiseLines).toBe(2);
  });

  test('a server gets a clean environment and what is configured', async () => {
    process.env['TOOLWRIGHT_TEST_SECRET'] = 'not for servers';
    onTestFinished(() => {
      delete process.env['TOOLWRIGHT_TEST_SECRET'];
    });
    const { session } = await openServers({ s: { ...fixture('env'), env: { OWN: 'yes' } } });
    const env = JSON.parse((await session.tool('mcp__s__echo')).output);
    expect(env.OWN).toBe('yes');
    expect(env.PATH).toBe(process.env['PATH']);
    const allowed = ['HOME', 'LOGNAME', 'OWN', 'PATH', 'SHELL', 'TERM', 'USER'];
    expect(Object.keys(env).filter((name) => !allowed.includes(name))).toEqual([]);
  });

  test.each(['plain', 'probe-exit'])(
    'protocol auto falls back for a program of 2025 (%s)',
    async (mode) => {
      const { session, mcp } = await openServers({ s: { ...fixture(mode), protocol: 'auto' } });
      expect(mcp.status(session.id)[0]).toMatchObject({ state: 'ready', era: 'legacy' });
      expect((await session.tool('mcp__s__echo', { message: 'hi' })).output).toBe('Echo: hi');
    },
  );
});

describe('stderr', () => {
  test('MCP-006: a flood on stderr blocks nothing, and its tail is bounded', async () => {
    const { session, mcp } = await openServers({ s: fixture('stderr') });
    for (let count = 0; count < 100; count += 1) {
      expect((await session.tool('mcp__s__echo', { message: 'hi' })).output).toBe('Echo: hi');
    }
    const tail = mcp.status(session.id)[0]?.stderrTail ?? '';
    expect(tail.length).toBe(8_192);
    expect(/^x+$/.test(tail)).toBe(true);
  });
});

describe('ending', () => {
  test('a crash in a call is told with exit code and last words; nobody knows what it did', async () => {
    const { session } = await openServers({ s: fixture('crash') });
    const { error, output } = await session.tool('mcp__s__echo');
    expect(error).toMatchObject({
      type: 'transport',
      reason: 'uncertain_outcome',
      retryable: false,
      detail: 'stderr: the disk is on fire',
    });
    expect(output).toContain('exit code 3');
  });

  test('the server is started again, and its tools stay; too many restarts drop them with the reason', async () => {
    const { session, mcp } = await openServers({ s: { ...fixture('crash'), maxRestarts: 2 } });
    for (let count = 0; count < 3; count += 1) {
      expect(session.toolNames()).toEqual(['mcp__s__echo']);
      expect((await session.tool('mcp__s__echo')).error?.reason).toBe('uncertain_outcome');
    }
    await until(() => mcp.status(session.id)[0]?.state === 'failed');
    expect(session.toolNames()).toEqual([]);
    const reason = 'server s failed: exit code 3; it was given up after 2 restarts in 5 minutes';
    expect(session.surface()).toEqual([
      { name: 'mcp__s', provider: 'mcp', state: 'absent', reason },
      { name: 'mcp__s__echo', provider: 'mcp', state: 'absent', reason },
    ]);
    const gone = await session.tool('mcp__s__echo');
    expect([gone.error?.type, gone.error?.reason]).toEqual(['unknown_tool', 'absent']);
    await mcp.reconnect(session.id, 's');
    expect(session.toolNames()).toEqual(['mcp__s__echo']);
  });

  test.each(['grandchild', 'stubborn'])(
    'closing takes the whole family along (%s)',
    async (mode) => {
      const file = pidFile();
      const { session } = await openServers({ s: fixture(mode, file.path) });
      const pids = file.pids();
      expect(pids.map((pid) => isAlive(pid))).toEqual([true, true]);
      await session.close();
      await until(() => pids.every((pid) => !isAlive(pid)));
    },
  );

  test('closing while a server still starts leaves nothing behind', async () => {
    const file = pidFile();
    const host = createHost({ providers: [mcpServers({ s: fixture('stubborn', file.path) })] });
    const session = await host.open({ workspace: memoryWorkspace() });
    await until(() => existsSync(file.path) && file.pids().length === 2);
    await Promise.all([session.close(), session.close()]);
    await expect.poll(() => file.pids().map((pid) => isAlive(pid))).toEqual([false, false]);
  });
});

describe('changes', () => {
  test('MCP-013: list_changed is acted on, and the old name is gone', async () => {
    const { session, events } = await openServers({ s: fixture('changing') });
    expect(session.toolNames()).toEqual(['mcp__s__A']);
    await session.tool('mcp__s__A');
    await until(() => session.toolNames().includes('mcp__s__B'));
    expect(session.toolNames()).toEqual(['mcp__s__B']);
    expect(session.catalog.entries().map(({ name }) => name)).toEqual(['mcp__s__B']);
    expect((await session.tool('mcp__s__A')).error?.type).toBe('unknown_tool');
    expect(events.filter(({ type }) => type === 'tools_changed')).toEqual([
      {
        type: 'tools_changed',
        server: 's',
        added: ['mcp__s__B'],
        removed: ['mcp__s__A'],
        changed: [],
      },
    ]);
  });

  test('MCP-013: notices during a list request and in floods lead to few refreshes', async () => {
    const { session, events } = await openServers({ s: fixture('chatty') });
    const [first] = session.toolNames();
    await session.tool(first ?? '', { notices: 200 });
    await until(() => events.some(({ type }) => type === 'tools_changed'));
    await until(() => session.toolNames()[0] !== first);
    // 200 notices, each list with another name: one refresh for all of them, or two when they came apart.
    expect(events.filter(({ type }) => type === 'tools_changed').length).toBeLessThan(3);

    const during = await openServers({ s: fixture('chatty-list') });
    expect((await during.session.tool('mcp__s__echo', { message: 'hi' })).output).toBe('Echo: hi');
  });
});
