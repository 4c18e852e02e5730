import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  type Session,
  type SessionSnapshot,
} from '@toolwright/core';
import { expect, test } from 'vitest';
import { DeferredReminder } from '../../src/tools/deferred-reminder.ts';
import { toolSearch } from '../../src/tool-search-provider.ts';

const simple = (name: string, visibility: 'visible' | 'deferred' = 'deferred') =>
  defineTool({
    name,
    description: `Does ${name.replaceAll('_', ' ')}.`,
    visibility,
    input: { type: 'object', additionalProperties: false, properties: {} },
    capabilities: { readOnly: true },
    effects: () => [],
    run: async () => ({ output: `${name} was called` }),
  });

const hostOf = (names: readonly string[]) =>
  createHost({
    providers: [
      toolSearch(),
      defineProvider({
        name: 'many',
        version: '1.0.0',
        tools: [simple('always', 'visible'), ...names.map((name) => simple(name))],
      }),
    ],
    policy: { preset: 'trusted' },
  });

const ask = async (session: Session, query: string): Promise<unknown> =>
  JSON.parse((await session.invoke({ name: 'tool_search', arguments: { query } })).output);

const call = async (session: Session, name: string) => {
  const { output, error } = await session.invoke({ name, arguments: {} });
  return error === null ? output : { type: error.type, reason: error.reason };
};

const notLoaded = { type: 'unknown_tool', reason: 'not_loaded' };

test('three turns: what was not found is neither listed nor callable, what was found stays', async () => {
  const session = await hostOf(['alpha_one', 'beta_two']).open({ workspace: memoryWorkspace() });
  const listed = () => session.toolDefinitions().map(({ name }) => name);
  expect(listed()).toEqual(['always', 'tool_search']);
  await ask(session, 'select:alpha_one');
  expect(listed()).toEqual(['alpha_one', 'always', 'tool_search']);
  expect(await call(session, 'alpha_one')).toBe('alpha_one was called');
  expect(await call(session, 'beta_two')).toEqual(notLoaded);
  // A second search adds to the first; what is loaded already stays as it is.
  await ask(session, 'select:beta_two,alpha_one');
  expect(listed()).toEqual(['alpha_one', 'always', 'beta_two', 'tool_search']);
  await session.close();
});

test('loaded tools are in a snapshot with the query that loaded them, and a resumed session has them', async () => {
  const host = hostOf(['alpha_one', 'beta_two', 'gamma_three']);
  const first = await host.open({ workspace: memoryWorkspace() });
  await ask(first, '+beta two');
  await ask(first, 'select:alpha_one');
  // As it would come back from a disk: JSON of the type that was written.
  const snapshot = JSON.parse(JSON.stringify(await first.snapshot())) as SessionSnapshot;
  await first.close();
  expect(snapshot.loaded_tools).toEqual([
    { name: 'beta_two', by: '+beta two' },
    { name: 'alpha_one', by: 'select:alpha_one' },
  ]);

  const second = await host.resume(snapshot, { workspace: memoryWorkspace() });
  // No message of the first session is needed: nothing is read out of a conversation.
  expect(await call(second, 'beta_two')).toBe('beta_two was called');
  expect(await call(second, 'gamma_three')).toEqual(notLoaded);
  expect(second.surface().find(({ name }) => name === 'beta_two')).toMatchObject({
    reason: 'loaded by +beta two',
  });
  expect(await ask(second, 'select:beta_two')).toMatchObject({
    matches: ['beta_two'],
    tools: [{ loaded: true }],
  });
  expect(new DeferredReminder().next(second.catalog.entries())).toBe(
    '<available-deferred-tools>\ngamma_three\n</available-deferred-tools>',
  );
  await second.close();
});

test('a snapshot that names a tool which is not there any more resumes without it', async () => {
  const first = await hostOf(['alpha_one', 'beta_two']).open({ workspace: memoryWorkspace() });
  await ask(first, 'select:alpha_one,beta_two');
  const snapshot = await first.snapshot();
  await first.close();
  const second = await hostOf(['beta_two']).resume(snapshot, { workspace: memoryWorkspace() });
  expect(await call(second, 'beta_two')).toBe('beta_two was called');
  expect(await call(second, 'alpha_one')).toMatchObject({ type: 'unknown_tool' });
  await second.close();
});

test('tools can be unloaded; a call then says how to load them again', async () => {
  const session = await hostOf(['alpha_one']).open({ workspace: memoryWorkspace() });
  await ask(session, 'alpha');
  expect(session.catalog.unload(['alpha_one', 'always', 'nothing'])).toMatchObject({
    changed: ['alpha_one'],
    already: ['always'],
    unknown: ['nothing'],
  });
  expect(session.toolNames()).not.toContain('alpha_one');
  const { error } = await session.invoke({ name: 'alpha_one', arguments: {} });
  expect(error).toMatchObject({ ...notLoaded, load_with: 'select:alpha_one' });
  await ask(session, 'select:alpha_one');
  expect(await call(session, 'alpha_one')).toBe('alpha_one was called');
  await session.close();
});

test('no more than 128 tools are loaded at once; the others are said to be left out', async () => {
  const names = Array.from({ length: 140 }, (_, i) => `tool_${String(i).padStart(3, '0')}`);
  const session = await hostOf(names).open({ workspace: memoryWorkspace() });
  const answer = await ask(session, `select:${names.join(',')}`);
  const states = names.map((_, i) => ({ loaded: i < 128 }));
  expect(answer).toMatchObject({ matches: names, tools: states, hint: expect.any(String) });
  expect(answer).toMatchObject({
    hint: `Not loaded, because too many tools are loaded already: ${names.slice(128).join(', ')}.`,
  });
  expect(await call(session, 'tool_139')).toEqual(notLoaded);
  session.catalog.unload(['tool_000']);
  expect(await ask(session, 'select:tool_139')).toMatchObject({ tools: [{ loaded: true }] });
  expect(await call(session, 'tool_139')).toBe('tool_139 was called');
  await session.close();
});
