import { expect, test } from 'vitest';
import type { ArtifactStore, ArtifactWriter } from '../../src/artifacts/artifact-store.ts';
import { openHidingWriter } from '../../src/artifacts/hiding-artifact-writer.ts';
import { createSanitiser } from '../../src/sanitise/sanitiser.ts';

/** A store that takes bytes late: what it keeps is what they are when it gets to them. */
function lateStore() {
  const kept: Uint8Array[] = [];
  const begun: Uint8Array[] = [];
  const proceed: (() => void)[] = [];
  const writer: ArtifactWriter = {
    write: async (bytes) => {
      begun.push(bytes);
      await new Promise<void>((resolve) => {
        proceed.push(resolve);
      });
      kept.push(new Uint8Array(bytes));
    },
    finish: async () => ({ retained: false, reason: 'too_large' }),
    abort: async () => {},
  };
  const store: Pick<ArtifactStore, 'openWriter'> = { openWriter: async () => writer };
  return { store, kept, begun, proceed };
}

function open(store: Pick<ArtifactStore, 'openWriter'>) {
  const bounds = {
    assertOpen: () => {},
    stream: createSanitiser([]).byteStream(),
    onClose: () => {},
  };
  return openHidingWriter(store, { tool: 'bash' }, bounds);
}

const encoder = new TextEncoder();

test('a store gets bytes that nobody changes while it writes them', async () => {
  const { store, kept, proceed } = lateStore();
  const writer = await open(store);
  const reused = encoder.encode('first');
  const writes = [writer.write(reused)];
  reused.set(encoder.encode('other'));
  writes.push(writer.write(reused));
  reused.fill(0);
  for (const go of proceed.splice(0)) go();
  await Promise.all(writes);
  const third = writer.write(encoder.encode('3rd'));
  const fourth = writer.write(encoder.encode('4th'));
  for (const go of proceed.splice(0)) go();
  await Promise.all([third, fourth]);
  expect(kept.map((bytes) => new TextDecoder().decode(bytes))).toEqual([
    'first',
    'other',
    '3rd',
    '4th',
  ]);
});

test('parts written one after the other go through the same memory', async () => {
  const { store, begun, proceed } = lateStore();
  const writer = await open(store);
  for (const text of ['one', 'two', '3']) {
    const written = writer.write(encoder.encode(text));
    proceed.shift()?.();
    await written;
  }
  expect(new Set(begun.map(({ buffer }) => buffer)).size).toBe(1);
});
