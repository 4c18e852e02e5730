import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChunkDecoder } from '../../src/exchange/decode-chunks.ts';

test('property: chunks come out as they went in, however the bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 })),
      fc.array(fc.nat(20)),
      (chunks, cuts) => {
        const parts = chunks.flatMap((chunk) => [
          Buffer.from(`${chunk.length.toString(16)}\r\n`),
          Buffer.from(chunk),
          Buffer.from('\r\n'),
        ]);
        const wire = Buffer.concat([...parts, Buffer.from('0\r\n\r\nrest')]);
        const decoder = new ChunkDecoder();
        const out: Uint8Array[] = [];
        let position = 0;
        for (const cut of [...cuts, wire.length]) {
          out.push(...decoder.push(wire.subarray(position, position + cut)));
          position = Math.min(position + cut, wire.length);
        }
        expect(Buffer.concat(out).equals(Buffer.concat(chunks))).toBe(true);
        expect([decoder.isDone, decoder.hasSurplus]).toEqual([true, true]);
      },
    ),
  );
});
