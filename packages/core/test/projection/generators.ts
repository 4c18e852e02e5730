import * as fc from 'fast-check';
import { PROJECTION_POLICY_SCHEMA, type ProjectionPolicy } from '../../src/projection/policy.ts';

/** Any valid policy with a small bound, so that most outputs need it. */
export const policies: fc.Arbitrary<ProjectionPolicy> = fc
  .record({
    max: fc.integer({ min: 1024, max: 4096 }),
    head: fc.double({ min: 0, max: 1, noNaN: true }),
    tail: fc.double({ min: 0, max: 1, noNaN: true }),
    isPreview: fc.boolean(),
    fold: fc.boolean(),
    threshold: fc.integer({ min: 2, max: 6 }),
    sample: fc.constantFrom(0, 1, 2, 3, 8, 32, 1024),
  })
  .map(({ max, head, tail, isPreview, fold, threshold, sample }) => {
    const room = max - 512;
    const headBytes = 1 + Math.floor(head * (room - 1));
    return {
      schema: PROJECTION_POLICY_SCHEMA,
      max_output_bytes: max,
      head_bytes: isPreview ? max : headBytes,
      tail_bytes: isPreview ? 0 : Math.floor(tail * (room - headBytes)),
      fold_repeated_lines: fold,
      repeated_line_threshold: threshold,
      structured_sample_items: sample,
    };
  });

const words = fc.stringMatching(/^[a-z]{0,12}$/);
const lines = fc.oneof(words, fc.string({ unit: 'grapheme', maxLength: 60 }), fc.constant(''));
const runs = fc.tuple(
  lines,
  fc.constantFrom('\n', '\n', '\n', '\r\n', ''),
  fc.integer({ min: 1, max: 200 }),
);

/** Text with runs of equal lines, mixed line ends and characters of every length. */
export const lineTexts: fc.Arbitrary<string> = fc
  .array(runs, { maxLength: 20 })
  .map((parts) => parts.map(([line, end, count]) => `${line}${end}`.repeat(count)).join(''));

/** Bytes of any kind: text, text with ill-formed places, noise. */
export const byteOutputs: fc.Arbitrary<Uint8Array> = fc.oneof(
  lineTexts.map((text) => new TextEncoder().encode(text)),
  fc
    .tuple(lineTexts, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 6 }))
    .map(([text, hits]) => {
      const bytes = new TextEncoder().encode(text);
      for (const [place, value] of hits) if (bytes.length > 0) bytes[place % bytes.length] = value;
      return bytes;
    }),
  fc.uint8Array({ maxLength: 3000 }),
);

/** Cuts bytes at the given places into a stream that reuses one buffer for all its chunks. */
export async function* inChunks(
  bytes: Uint8Array,
  sizes: readonly number[],
): AsyncGenerator<Uint8Array> {
  // A Buffer, as Node's streams give them: its `slice` shares memory.
  const shared = Buffer.alloc(Math.max(1, ...sizes));
  let position = 0;
  for (let turn = 0; position < bytes.length; turn += 1) {
    const size = Math.max(1, sizes[turn % Math.max(1, sizes.length)] ?? bytes.length);
    const part = bytes.subarray(position, position + size);
    if (part.length <= shared.length) {
      shared.set(part);
      yield shared.subarray(0, part.length);
    } else {
      yield part;
    }
    position += part.length;
  }
}
