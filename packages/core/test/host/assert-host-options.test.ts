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

test('an option that there is not is refused, with the one that was most likely meant', async () => {
  expect(make({ providers: [], polcy: { preset: 'readOnly' } })).toThrow(
    new TypeError('createHost has no option "polcy"; did you mean policy?'),
  );
  expect(make({ providers: [], secret: ['hidden-value'] })).toThrow('did you mean secrets?');
  expect(make({ providers: [], zzzzzzzz: 1 })).toThrow(
    'createHost has no option "zzzzzzzz"; there are: providers, policy, hooks,',
  );
  expect(make({ providers: [], zzzzzzzz: undefined })).not.toThrow();
  const host = createHost({ providers: [provider()] });
  const workspace = memoryWorkspace();
  const open = (options: object): unknown =>
    Reflect.apply(host.open, host, [{ workspace, ...options }]);
  await expect(open({ approvers: [] })).rejects.toThrow(
    new TypeError('host.open has no option "approvers"; did you mean approver?'),
  );
  await expect(open({ policy: {} })).rejects.toThrow('host.open has no option "policy"');
  await expect(open({ services: { model: {} } })).rejects.toThrow(
    new TypeError('services of host.open has no option "model"; did you mean models?'),
  );
});

test('a session that is resumed takes the options of one that is opened', async () => {
  const host = createHost({ providers: [provider()] });
  const session = await host.open({ workspace: memoryWorkspace() });
  const snapshot = await session.snapshot();
  await session.close();
  const resume = (options: object): unknown =>
    Reflect.apply(host.resume, host, [snapshot, { workspace: memoryWorkspace(), ...options }]);
  await expect(resume({ artifact: {} })).rejects.toThrow('did you mean artifacts?');
  const again = await host.resume(snapshot, {
    workspace: memoryWorkspace(),
    projection: snapshot.projection,
  });
  expect(again.id).toBe(session.id);
  await again.close();
});

test.each([Number.NaN, 0, -1, '3', null])('%o calls in flight are no limit', (maxActiveCalls) => {
  expect(make({ providers: [], maxActiveCalls })).toThrow(
    'maxActiveCalls of a host is a number from 1 up.',
  );
});
