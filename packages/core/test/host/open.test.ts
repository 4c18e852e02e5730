import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { createHost, defineProvider, memoryWorkspace } from '../../src/index.ts';

test('a session that cannot be opened leaves nothing open', async () => {
  const closed: string[] = [];
  const live = defineProvider({
    name: 'live',
    version: '1.0.0',
    tools: [],
    connect: () => ({
      tools: [],
      absent: [],
      subscribe: () => () => {},
      ready: Promise.resolve(),
      close: async () => void closed.push('connection'),
    }),
  });
  const clashing = defineProvider({
    name: 'clashing',
    version: '1.0.0',
    tools: [],
    helpers: () => ({ invoke: () => {} }),
  });
  const memory = memoryWorkspace();
  const workspace = { ...memory, close: async () => void closed.push('workspace') };
  await expect(createHost({ providers: [live, clashing] }).open({ workspace })).rejects.toThrow(
    'Helper invoke',
  );
  expect(closed.sort()).toEqual(['connection', 'workspace']);
});

test('a signal given at opening ends the session, and a closed session lets go of it', async () => {
  const host = createHost({ providers: [] });
  const controller = new AbortController();
  const session = await host.open({ workspace: memoryWorkspace(), signal: controller.signal });
  await session.close();
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  const other = await host.open({ workspace: memoryWorkspace(), signal: controller.signal });
  controller.abort();
  await expect(other.tool('read')).rejects.toThrow('is closed');
});

test('two providers of one name are refused', async () => {
  const provider = defineProvider({ name: 'one', version: '1.0.0', tools: [] });
  expect(() => createHost({ providers: [provider, provider] })).toThrow('registered twice');
});
