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

const text = 'h\u00e9\ud83c\udf0dllo';

test.each([
  [0, 2, 2],
  [1, 1, 1],
  [3, 4, 4],
  [9, 5, 1],
  [10, 1, 0],
  [99, 1, 0],
  [0, 0, 0],
  [0, Infinity, 10],
])('a range from %d of %d bytes has %d', async (start, length, bytes) => {
  const { access, uri } = await kept();
  const range = await access.read(uri, { start, length });
  expect(range).toEqual(new TextEncoder().encode(text).slice(start, start + bytes));
});

test.each([
  [-1, 2],
  [0, -1],
  [0.5, 1],
  [0, 0.5],
  [Number.NaN, 1],
  [0, Number.NaN],
  [Infinity, 1],
  [2 ** 60, 1],
])('a range from %d of %d bytes is none', async (start, length) => {
  const { access, uri } = await kept();
  await expect(access.read(uri, { start, length })).rejects.toMatchObject({
    type: 'invalid_argument',
    reason: 'bad_range',
  });
});

/** An artifact of ten bytes whose characters are of one, two and four. */
async function kept() {
  const artifacts = new SessionArtifacts(memoryArtifactStore(), 's', { ownsAll: false });
  const { artifact_uri: uri } = await artifacts.keep(
    { id: 'call', name: 'read' },
    new TextEncoder().encode(text),
    'text/plain',
  );
  const { access } = artifacts.access({
    tool: 'read',
    holder: artifacts.holder('call'),
    assertAlive: () => {},
    assertOpen: () => {},
    byteStream: () => ({ push: (bytes) => bytes, end: () => new Uint8Array() }),
  });
  return { access, uri: typeof uri === 'string' ? uri : '' };
}
