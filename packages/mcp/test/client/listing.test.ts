import { describe, expect, test } from 'vitest';
import { toExportName } from '../../src/index.ts';
import { fixture, openServers, until } from './fixtures/open.ts';

const namesOf = (names: readonly string[]) => names.map((name) => name.replace('mcp__s__', ''));

describe('the tools of a server', () => {
  test('MCP-002: names that collide when cleaned or cut stay apart, whatever the order', async () => {
    const long = 'n'.repeat(70);
    const originals = ['a.b', 'a_b', 'a/b', `${long}1`, `${long}2`];
    for (const order of ['', 'reversed']) {
      const { session } = await openServers({ s: fixture('collisions', order) });
      const names = session.toolNames();
      expect(new Set(names)).toEqual(new Set(originals.map((tool) => toExportName('s', tool))));
      expect(names).toHaveLength(5);
      for (const original of originals) {
        const result = await session.tool(toExportName('s', original));
        expect(result.output).toBe(`ran ${original}`);
      }
    }
    expect(toExportName('x_y', 'z')).not.toBe(toExportName('x', 'y_z'));
  });

  test('MCP-004: all pages are read, cursors echoed as they came', async () => {
    const { session, mcp } = await openServers({ s: fixture('paged') });
    const names = Array.from({ length: 101 }, (_, index) => `mcp__s__t${index}`);
    expect(new Set(session.toolNames())).toEqual(new Set(names));
    expect(session.toolNames()).toHaveLength(101);
    expect((await session.tool('mcp__s__t100')).output).toBe('ran t100');
    // Each request, with its cursor.
    await until(() => mcp.status(session.id)[0]?.stderrTail === 'null\n"0"\n"größe/☃"\n');
  });

  test.each([
    ['same-page', 8, ['the cursor of the tool list came a second time; the list ends there']],
    ['empty-cursor', 8, []],
    ['endless-cursors', 0, ['the tool list has more than 64 pages; the others were not read']],
  ])('MCP-005: cursors that never end (%s) end', async (mode, count, warnings) => {
    const { session, mcp } = await openServers({ s: fixture(mode) });
    expect(session.toolNames()).toHaveLength(count);
    expect(mcp.status(session.id)[0]?.warnings).toEqual(warnings);
  });

  test('SCHEMA-005: a dangling reference costs its schema, not the tools', async () => {
    const { session, mcp } = await openServers({ s: fixture('dangling') });
    expect(namesOf(session.toolNames())).toEqual(['A', 'B']);
    expect((await session.tool('mcp__s__A')).output).toBe('ran A');
    expect((await session.tool('mcp__s__B')).output).toBe('ran B');
    expect(mcp.status(session.id)[0]?.warnings).toEqual([
      expect.stringMatching(/^B: outputSchema: .*Missing/),
    ]);
  });

  test('a malformed tool costs itself alone, and is told', async () => {
    const { session } = await openServers({ s: fixture('malformed') });
    expect(namesOf(session.toolNames())).toEqual(['good', 'no_schema']);
    expect((await session.tool('mcp__s__no_schema')).output).toBe('ran no_schema');
    const absent = session.surface().filter(({ state }) => state === 'absent');
    expect(absent.map(({ name, reason }) => [name.replace('mcp__s__', ''), reason])).toEqual([
      ['bad_property', expect.stringContaining('a property named "a b"')],
      ['no_description', expect.stringContaining('description')],
      ['no_object', expect.stringContaining('inputSchema')],
      ['odd_annotations', expect.stringContaining('annotations')],
      ['unnamed', expect.stringContaining('server s describes it wrongly')],
    ]);
  });

  test('a server without tools has none', async () => {
    const { session, mcp } = await openServers({ s: fixture('no-tools') });
    expect(session.toolNames()).toEqual([]);
    expect(mcp.status(session.id)[0]?.state).toBe('ready');
  });

  test('only wanted tools are offered, exclusion before inclusion', async () => {
    const config = { ...fixture('hints'), includeTools: ['look', 'add'], excludeTools: ['add'] };
    const { session } = await openServers({ s: config });
    expect(namesOf(session.toolNames())).toEqual(['look']);
  });

  test('descriptions are shown without what hides in them, and cut', async () => {
    const { session } = await openServers({ s: fixture('hidden') });
    const [definition] = session.toolDefinitions();
    expect(definition?.description).toHaveLength(2_048);
    expect(definition?.description.startsWith('Safe.evil xxx')).toBe(true);
  });

  test('deferred tools are found before they are called', async () => {
    const { session } = await openServers({ s: { ...fixture('plain'), defer: true } });
    expect(session.toolNames()).toEqual([]);
    const call = { name: 'mcp__s__echo', arguments: {} };
    expect((await session.invoke(call)).error?.reason).toBe('not_loaded');
    session.catalog.load(['mcp__s__echo'], 'test');
    expect(session.toolNames()).toEqual(['mcp__s__echo']);
  });

  test('a thousand long names stay legal and unique', async () => {
    const { session } = await openServers({ s: fixture('many') });
    const names = session.toolNames();
    expect(new Set(names).size).toBe(1_000);
    expect(names.every((name) => name.length <= 64)).toBe(true);
  });
});

describe('trust', () => {
  const tools = ['look', 'add', 'drop', 'wide'];
  test.each([
    ['untrusted', tools.map(() => ['ask', ['unknown **']])],
    [
      'annotations',
      [
        ['allow', ['read **']],
        ['ask', ['write **']],
        ['ask', ['unknown **']],
        ['ask', ['read **', 'net open-world:443']],
      ],
    ],
    ['trusted', tools.map(() => ['allow', []])],
  ] as const)('%s decides what a call is taken to do', async (trust, expected) => {
    const { session } = await openServers({ s: { ...fixture('hints'), trust } });
    const judged = [];
    for (const tool of tools) {
      const call = { name: `mcp__s__${tool}`, arguments: {} };
      const { decision, effects } = await session.prepare(call);
      judged.push([decision, effects.map(({ kind, target }) => `${kind} ${target}`)]);
    }
    expect(judged).toEqual(expected);
  });

  test('calls of the tools that a host approves beforehand are not asked about', async () => {
    const s = { ...fixture('hints'), autoApprove: ['drop'], alwaysAllow: ['add'] };
    const { session } = await openServers({ s });
    const decisions = tools.map(async (tool) => {
      const call = { name: `mcp__s__${tool}`, arguments: {} };
      return (await session.prepare(call)).decision;
    });
    expect(await Promise.all(decisions)).toEqual(['ask', 'allow', 'allow', 'ask']);
  });

  test('a definition that changes under a session loses its word, and is told', async () => {
    const { session, events } = await openServers({
      s: { ...fixture('redefined'), trust: 'annotations' },
    });
    const call = { name: 'mcp__s__A', arguments: {} };
    expect((await session.prepare(call)).decision).toBe('allow');
    await session.tool('mcp__s__A');
    await expect
      .poll(() => events.find(({ type }) => type === 'tool_definition_changed'))
      .toEqual({
        type: 'tool_definition_changed',
        server: 's',
        tool: 'mcp__s__A',
        changed: ['description'],
      });
    expect((await session.prepare(call)).decision).toBe('ask');
  });

  test('an approval given before the change is void after it', async () => {
    const { session, events } = await openServers({ s: fixture('redefined') });
    const call = { id: 'one', name: 'mcp__s__A', arguments: {} };
    const { approval } = await session.prepare(call);
    if (approval === undefined) throw new Error('Nothing was asked.');
    await session.tool('mcp__s__A');
    await expect
      .poll(() => events.some(({ type }) => type === 'tool_definition_changed'))
      .toBe(true);
    const result = await session.invoke(call, { approval });
    expect(result.error?.reason).toBe('approval_void');
  });
});
