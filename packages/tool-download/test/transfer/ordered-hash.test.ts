import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StagedFile } from '@toolwright/core';
import { FileSink } from '../../src/transfer/file-sink.ts';

/** A staged file in memory whose reads end when the test lets them. */
function stagedFile(): {
  readonly staged: StagedFile;
  readonly reads: (() => void)[];
  bytes: Buffer;
} {
  const file = {
    bytes: Buffer.alloc(0),
    reads: [] as (() => void)[],
    staged: undefined as unknown,
  };
  const staged: StagedFile = {
    initialSize: 0,
    read: async (start, length, into) => {
      await new Promise<void>((resolve) => {
        file.reads.push(resolve);
      });
      const wanted = file.bytes.subarray(start, start + length);
      const buffer = into?.subarray(0, wanted.length) ?? new Uint8Array(wanted.length);
      buffer.set(wanted);
      return buffer;
    },
    write: async (position, bytes) => {
      const grown = Buffer.alloc(Math.max(file.bytes.length, position + bytes.length));
      grown.set(file.bytes);
      grown.set(bytes, position);
      file.bytes = grown;
    },
    truncate: async (size) => {
      file.bytes = Buffer.from(file.bytes.subarray(0, size));
    },
    declareSha256: () => {},
  };
  return Object.assign(file, { staged });
}

const OPTIONS = { maxBytes: 1e9, validator: undefined, onBytes: () => {} };
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Lets every read end until the work has ended. */
async function release<T>(work: Promise<T>, reads: (() => void)[]): Promise<T> {
  const state = { isOver: false };
  const watched = work.finally(() => {
    state.isOver = true;
  });
  watched.catch(() => {});
  while (!state.isOver) {
    reads.splice(0).forEach((end) => {
      end();
    });
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  return watched;
}

test('property: in whatever order parts come, the digest is that of the file', async () => {
  const act = fc.record({ part: fc.nat(3), isReadingDone: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { minLength: 4, maxLength: 4 }),
      fc.array(act, { maxLength: 30 }),
      async (parts, acts) => {
        const { staged, reads } = stagedFile();
        const sink = new FileSink(staged, OPTIONS);
        const starts = parts.map((_, index) =>
          parts.slice(0, index).reduce((sum, part) => sum + part.length, 0),
        );
        const sent = parts.map(() => 0);
        const complete = (): number => {
          const gap = parts.findIndex((part, index) => (sent[index] ?? 0) < part.length);
          const at = gap === -1 ? parts.length - 1 : gap;
          return (starts[at] ?? 0) + (sent[at] ?? 0);
        };
        const step = async (index: number): Promise<void> => {
          const part = parts[index] ?? new Uint8Array();
          const from = sent[index] ?? 0;
          const chunk = part.subarray(from, from + 7);
          await sink.writeAt((starts[index] ?? 0) + from, chunk);
          sent[index] = from + chunk.length;
          const end = complete();
          if (end > sink.written) {
            const isNext = end === (starts[index] ?? 0) + from + chunk.length;
            sink.complete(end, isNext ? chunk : undefined);
          }
        };
        for (const { part, isReadingDone } of acts) {
          await step(part);
          if (isReadingDone) {
            reads.splice(0).forEach((end) => {
              end();
            });
            await new Promise((resolve) => {
              setImmediate(resolve);
            });
          }
        }
        for (const [index, part] of parts.entries()) {
          while ((sent[index] ?? 0) < part.length) {
            await step(index);
          }
        }
        expect(await release(sink.finish(), reads)).toBe(sha256(Buffer.concat(parts)));
      },
    ),
  );
});

test('beginning again waits for what is being read, and forgets it', async () => {
  const file = stagedFile();
  const sink = new FileSink(file.staged, OPTIONS);
  await sink.writeAt(3, Buffer.from('def'));
  await sink.writeAt(0, Buffer.from('abc'));
  sink.complete(6);
  expect(file.reads).toHaveLength(1);
  await release(sink.restart('"v2"'), file.reads);
  expect(sink.written).toBe(0);
  await sink.append(Buffer.from('new'));
  expect(await sink.finish()).toBe(sha256(Buffer.from('new')));
});

test('a file that cannot be read back has no digest', async () => {
  const file = stagedFile();
  const sink = new FileSink(file.staged, OPTIONS);
  await sink.writeAt(0, Buffer.from('abc'));
  sink.complete(6);
  await expect(release(sink.finish(), file.reads)).rejects.toThrow('shorter');
});

test('once settled nothing more is read', async () => {
  const file = stagedFile();
  const sink = new FileSink(file.staged, OPTIONS);
  const bytes = Buffer.alloc(3 * 1024 * 1024, 'x');
  await sink.writeAt(0, bytes);
  sink.complete(bytes.length);
  await release(sink.settle(), file.reads);
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  expect(file.reads).toEqual([]);
});
