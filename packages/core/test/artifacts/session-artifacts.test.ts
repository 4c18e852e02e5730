import { expect, test } from 'vitest';
import { memoryArtifactStore } from '../../src/artifacts/memory-artifact-store.ts';
import { SessionArtifacts } from '../../src/artifacts/session-artifacts.ts';

test('closing lets go of what calls kept or pinned, and has nothing to do for the many that kept nothing', async () => {
  const released: string[] = [];
  const store = memoryArtifactStore();
  const artifacts = new SessionArtifacts(
    {
      ...store,
      put: (content, options) => store.put(content, options),
      pin: (uri, holder) => store.pin(uri, holder),
      release: async (holder) => {
        released.push(holder);
        await store.release(holder);
      },
    },
    's',
    { ownsAll: false },
  );
  for (let i = 0; i < 1_000; i += 1) artifacts.holder(`idle-${i}`);
  await artifacts.keep(
    { id: 'call-1', name: 'read' },
    new TextEncoder().encode('kept'),
    'text/plain',
  );
  const [kept] = await store.list();
  await artifacts.store.pin(kept?.uri ?? '', artifacts.holder('call-2'));
  await artifacts.store.pin('a3s://tool-output/read/none', artifacts.holder('call-3'));
  await artifacts.close();
  expect(released).toEqual(['s/call-1', 's/call-2']);
});
