import { expect, test } from 'vitest';
import { createBudget, createHost, defineProvider, memoryWorkspace } from '../../src/index.ts';

const provider = () => defineProvider({ name: 'example', version: '1.0.0', tools: [] });

/** As a caller without types writes it. */
const make = (options: object) => () => Reflect.apply(createHost, undefined, [options]);

test('what is no list of providers is refused by name', () => {
  expect(make({})).toThrow('providers of a host is a list of providers.');
  expect(make({ providers: provider() })).toThrow('providers of a host is a list of providers.');
  expect(make({ providers: [provider(), {}] })).toThrow('providers[1] is no provider');
  expect(make({ providers: [null] })).toThrow('providers[0] is no provider');
});

test('a factory in place of its provider is told to be called', () => {
  expect(make({ providers: [provider] })).toThrow('call it for its provider: provider().');
});

test('hooks and a budget of another form are refused when the host is made', () => {
  expect(make({ providers: [], hooks: {} })).toThrow('hooks of a host is a list of hooks.');
  expect(make({ providers: [], budget: { calls: 3 } })).toThrow('createBudget');
  expect(
    make({ providers: [provider()], hooks: [], budget: createBudget({ calls: 3 }) }),
  ).not.toThrow();
});

test('a session without a workspace is refused by name', async () => {
  const host = createHost({ providers: [provider()] });
  const open = (options: object): unknown => Reflect.apply(host.open, host, [options]);
  await expect(open({})).rejects.toThrow('A session is opened on a workspace');
  await expect(open({ workspace: '.' })).rejects.toThrow('A session is opened on a workspace');
  const session = await host.open({ workspace: memoryWorkspace() });
  await session.close();
});
