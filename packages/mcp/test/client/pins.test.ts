import { memoryState } from '@toolwright/core/testing';
import type { StateStore } from '@toolwright/core';
import { expect, test } from 'vitest';
import { createPinStore } from '../../src/client/pin-store.ts';
import { Pins } from '../../src/client/pins.ts';
import { readServers } from '../../src/client/server-config.ts';
import { fixture, openServers } from './fixtures/open.ts';

const call = { name: 'mcp__s__A', arguments: {} };

/** A session of a process of its own: of earlier ones it knows what the state has kept. */
async function next(state: StateStore | undefined, redefined: boolean, option = '') {
  const server = { ...fixture('redefined', option), trust: 'annotations' } as const;
  const { session, mcp, events } = await openServers(
    { s: { ...server, env: { REDEFINED: redefined ? '1' : '0' } } },
    { mcp: state === undefined ? {} : { state } },
  );
  return {
    session,
    mcp,
    decision: async () => (await session.prepare(call)).decision,
    changes: () => events.filter(({ type }) => type === 'tool_definition_changed'),
    warnings: () => events.flatMap((event) => (event.type === 'warning' ? [event.message] : [])),
  };
}

test('a definition that changed between two processes loses its word until it is accepted', async () => {
  const state = memoryState();
  const first = await next(state, false);
  expect([await first.decision(), first.changes()]).toEqual(['allow', []]);
  const second = await next(state, true);
  expect(await second.decision()).toBe('ask');
  expect(second.changes()).toEqual([
    {
      type: 'tool_definition_changed',
      server: 's',
      tool: 'mcp__s__A',
      changed: ['description'],
    },
  ]);
  await second.mcp.acceptDefinitions(second.session.id, 's');
  expect(await second.decision()).toBe('allow');
  const third = await next(state, true);
  expect([await third.decision(), third.changes()]).toEqual(['allow', []]);
  const back = await next(state, false);
  expect([await back.decision(), back.changes().length]).toEqual(['ask', 1]);
});

test('without a state, and for another program under the same name, nothing was seen before', async () => {
  const state = memoryState();
  await next(state, false);
  for (const session of [await next(undefined, true), await next(state, true, 'other')]) {
    expect([await session.decision(), session.changes()]).toEqual(['allow', []]);
  }
});

test('a state that fails, or holds something else, is told and costs no server', async () => {
  const broken: StateStore = {
    ...memoryState(),
    read: async () => new TextEncoder().encode('{"tools":{"A":1}}'),
    write: async () => {
      throw new Error('the disk is full');
    },
  };
  const session = await next(broken, false);
  expect(await session.decision()).toBe('allow');
  expect(session.warnings()).toEqual([
    'what was known of its tools cannot be read: it holds no pin of A',
    'what is known of its tools cannot be kept: the disk is full',
  ]);
});

test('a server that a session does not have is a mistake', async () => {
  const { mcp, session } = await next(undefined, false);
  await expect(mcp.acceptDefinitions(session.id, 'other')).rejects.toThrow(TypeError);
});

test('what changed is told with both definitions; one tool can be accepted by either of its names', async () => {
  const state = memoryState();
  await next(state, false);
  const { mcp, session, decision } = await next(state, true);
  const [change] = mcp.changedDefinitions(session.id);
  const before = {
    name: 'A',
    description: 'The tool A.',
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
  };
  expect(change).toEqual({
    server: 's',
    tool: 'mcp__s__A',
    original: 'A',
    changed: ['description'],
    before,
    after: { ...before, description: 'Now it deletes.' },
  });
  await expect(mcp.acceptDefinitions(session.id, 's', ['B'])).rejects.toThrow(
    new TypeError('The MCP server s has no tool named "B".'),
  );
  expect(await decision()).toBe('ask');
  expect(await mcp.acceptDefinitions(session.id, 's', ['mcp__s__A'])).toEqual(['mcp__s__A']);
  expect(await mcp.acceptDefinitions(session.id, 's', ['A'])).toEqual([]);
  expect([await decision(), mcp.changedDefinitions(session.id)]).toEqual(['allow', []]);
});

test('a session that runs beside one that accepts does not undo what that accepted, and hears of it', async () => {
  const state = memoryState();
  const running = await next(state, false);
  const accepting = await next(state, true);
  await accepting.mcp.acceptDefinitions(accepting.session.id, 's');
  // Its server changes too, to the very definition that was accepted; it lists anew.
  expect(await running.decision()).toBe('allow');
  await running.session.tool('mcp__s__A');
  await expect
    .poll(() => running.session.toolDefinitions()[0]?.description)
    .toBe('Now it deletes.');
  expect([await running.decision(), running.changes()]).toEqual(['allow', []]);
  expect(await (await next(state, true)).decision()).toBe('allow');
});

test.each([
  ['a flag', (token: string) => ({ command: 'x', args: ['--token', token] })],
  ['a parameter', (token: string) => ({ url: `https://mcp.example.com/?api_key=${token}` })],
])(
  'a secret in %s stands in no state, and changing it makes no other server',
  async (_, config) => {
    const state = memoryState();
    const storeOf = (token: string) => {
      const [reading] = readServers({ s: config(token) });
      if (reading?.ok !== true) throw new Error('It cannot be read.');
      return createPinStore(state, reading.settings, () => {});
    };
    const pin = { pin: '1', parts: {} };
    await storeOf('first-secret-value').add(new Map([['a', pin]]));
    expect(await storeOf('second-secret-value').read()).toEqual(new Map([['a', pin]]));
    const keys = await state.list('');
    expect(keys).toHaveLength(1);
    const kept = new TextDecoder().decode(await state.read(keys[0] ?? ''));
    expect(kept).not.toContain('secret-value');
  },
);

test('a definition that is too large to be kept is compared all the same', () => {
  const pins = new Pins();
  const definition = (text: string) => ({ name: 'a', description: text });
  const large = { pin: '1', definition: definition('x'.repeat(70_000)) };
  expect(pins.see('a', large)).toBeUndefined();
  const after = definition('small');
  expect(pins.see('a', { pin: '2', definition: after })).toEqual(['description']);
  expect(pins.change('a', { pin: '2', definition: after })).toEqual({
    changed: ['description'],
    before: undefined,
    after,
  });
});
