import { createHash } from 'node:crypto';
import { close, constants, fstatSync, open, read } from 'node:fs';
import { promisify } from 'node:util';
import { tokenOf } from '../files/file-stat.ts';
import { codeOf } from '../files/local-paths.ts';

const openFile = promisify(open);
const readFile = promisify(read);
const closeFile = promisify(close);

/** Digests that are remembered by the file's token. */
const maxRemembered = 512;

/** Nanoseconds that a file must have been left alone before its token stands for its bytes (clock ticks are coarse). */
const settledNs = 50_000_000n;

/** SHA-256 of files, remembered as long as the file system says that nothing has changed. */
export class FileHashes {
  readonly #known = new Map<string, string>();

  /** The digest of a regular file, 64 lowercase hex digits; null when nothing is there. */
  async hash(absolute: string): Promise<string | null> {
    let descriptor: number;
    try {
      descriptor = await openFile(
        absolute,
        constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
      );
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    }
    try {
      const before = fstatSync(descriptor, { bigint: true });
      const token = tokenOf(before);
      const known = this.#known.get(token);
      if (known !== undefined) return known;
      const digest = await hashDescriptor(descriptor, Number(before.size));
      const after = fstatSync(descriptor, { bigint: true });
      const nowNs = BigInt(Date.now()) * 1_000_000n;
      if (tokenOf(after) === token && nowNs - after.ctimeNs > settledNs) {
        this.remember(token, digest);
      }
      return digest;
    } finally {
      await closeFile(descriptor);
    }
  }

  remember(token: string, digest: string): void {
    if (this.#known.size >= maxRemembered) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    this.#known.set(token, digest);
  }
}

/** Hashes an open file from its start. */
export async function hashDescriptor(descriptor: number, size: number): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(Math.min(Math.max(size, 1), 1_048_576));
  let position = 0;
  for (;;) {
    const { bytesRead } = await readFile(descriptor, buffer, 0, buffer.length, position);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
}
