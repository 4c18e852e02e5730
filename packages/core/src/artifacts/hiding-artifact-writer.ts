import { createSha256 } from '../digest/sha256.ts';
import type { SanitiserStream } from '../sanitise/sanitiser.ts';
import type { ArtifactStore, ArtifactWriteOptions, ArtifactWriter } from './artifact-store.ts';

/** Memory that a writer keeps for its next part. */
const maxSpareBytes = 262_144;

/** What a writer of a tool is bound to. */
export interface WriterBounds {
  /** Throws once the tool's call has ended. */
  readonly assertOpen: () => void;
  /** Hides secrets in what is written. */
  readonly stream: SanitiserStream<Uint8Array>;
  /** Told once, when the content has ended or was dropped. */
  readonly onClose: () => void;
}

/**
 * Opens a writer for what a tool itself keeps: secrets are hidden before a byte is stored, the kernel computes the
 * digest, and after the tool's call nothing more can be written.
 */
export async function openHidingWriter(
  store: Pick<ArtifactStore, 'openWriter'>,
  options: Omit<ArtifactWriteOptions, 'sha256'>,
  bounds: WriterBounds,
): Promise<ArtifactWriter> {
  const hasher = createSha256();
  let digest: string | undefined;
  const writer = await store.openWriter({
    ...options,
    sha256: () => (digest ??= hasher.digestHex()),
  });
  const pass = async (clean: Uint8Array): Promise<void> => {
    if (clean.length === 0) return;
    hasher.update(clean);
    await writer.write(clean);
  };
  // The tool may reuse its bytes while the store is still writing them, so the store gets a copy. Memory that
  // was written whole serves again, or a long stream would leave as much garbage as it has bytes.
  let spare = new Uint8Array();
  return {
    write: async (bytes) => {
      bounds.assertOpen();
      const copy = spare.length >= bytes.length ? spare : new Uint8Array(bytes.length);
      spare = new Uint8Array();
      copy.set(bytes);
      await pass(bounds.stream.push(copy.subarray(0, bytes.length)));
      if (copy.length <= maxSpareBytes) spare = copy;
    },
    finish: async () => {
      bounds.assertOpen();
      await pass(bounds.stream.end());
      bounds.onClose();
      return writer.finish();
    },
    abort: async () => {
      bounds.onClose();
      await writer.abort();
    },
  };
}
