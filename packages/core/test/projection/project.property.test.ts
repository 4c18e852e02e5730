import * as fc from 'fast-check';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { memoryArtifactStore } from '../../src/artifacts/memory-artifact-store.ts';
import { readArtifact } from '../../src/artifacts/read-artifact.ts';
import { createToolResultEvidence } from '../../src/evidence/tool-result-evidence.ts';
import { project } from '../../src/projection/project.ts';
import { byteOutputs, inChunks, lineTexts, policies } from './generators.ts';

const numRuns = process.env['TOOLWRIGHT_LONG'] === '1' ? 10_000 : 500;
const byteLength = (text: string) => Buffer.byteLength(text);
const sha256 = (data: string | Uint8Array) =>
  `sha256:${createHash('sha256').update(data).digest('hex')}`;

describe('every projection', { timeout: 600_000 }, () => {
  it('is bounded and well-formed, and no larger than an original that fits', async () => {
    await fc.assert(
      fc.asyncProperty(byteOutputs, policies, async (bytes, policy) => {
        const { output, shownBytes } = await project(bytes, policy, { tool: 'bash' });
        expect(Buffer.from(output).toString()).toBe(output);
        const fits = isUtf8(bytes) && bytes.length <= policy.max_output_bytes;
        const bound = fits ? bytes.length : policy.max_output_bytes;
        expect(byteLength(output)).toBeLessThanOrEqual(bound);
        expect(shownBytes).toBeLessThanOrEqual(bytes.length);
      }),
      { numRuns },
    );
  });

  it('has evidence of exactly its bytes', async () => {
    await fc.assert(
      fc.asyncProperty(byteOutputs, policies, async (bytes, policy) => {
        const projection = await project(bytes, policy, { tool: 'bash' });
        expect(createToolResultEvidence(projection)).toMatchObject({
          original_bytes: bytes.length,
          projected_bytes: byteLength(projection.output),
          content_digest: sha256(bytes),
          projected_digest: sha256(projection.output),
          byte_delta: byteLength(projection.output) - bytes.length,
          loss_mode: projection.lossMode,
        });
      }),
      { numRuns },
    );
  });

  it('loses nothing: the output is the original, or names where all of it is kept', async () => {
    await fc.assert(
      fc.asyncProperty(byteOutputs, policies, async (bytes, policy) => {
        const options = storing();
        const { output, lossMode, retention } = await project(bytes, policy, options);
        expect(retention === undefined).toBe(lossMode === 'none');
        const uri = retention?.retained === true ? retention.artifact.uri : undefined;
        const kept = uri === undefined ? undefined : await readArtifact(options.artifacts, uri);
        const whole = kept?.bytes ?? Buffer.from(output);
        expect(Buffer.from(whole).equals(bytes)).toBe(true);
        expect(output).toContain(uri ?? '');
      }),
      { numRuns },
    );
  });

  it('is the same for bytes and a stream in any chunks, and on repeat', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(byteOutputs, policies, sizes, async (bytes, policy, chunkSizes) => {
        const whole = await project(bytes, policy, storing());
        expect(await project(bytes, policy, storing())).toEqual(whole);
        expect(await project(inChunks(bytes, chunkSizes), policy, storing())).toEqual(whole);
        const tiny = bytes.length < 5000 ? 1 : 17;
        expect(await project(inChunks(bytes, [tiny]), policy, storing())).toEqual(whole);
      }),
      { numRuns: numRuns / 4 },
    );
  });

  it('is the same for a text and its bytes', async () => {
    await fc.assert(
      fc.asyncProperty(lineTexts, policies, async (text, policy) => {
        const ofBytes = await project(Buffer.from(text), policy, storing());
        expect(await project(text, policy, storing())).toEqual(ofBytes);
      }),
      { numRuns },
    );
  });

  it('counts every byte of the original as shown, folded or omitted', async () => {
    // Long enough that something has to go, in head and tail modes.
    const longTexts = lineTexts.map((text) =>
      `${text}\n-`.repeat(Math.ceil(6000 / (text.length + 2))),
    );
    const cutting = policies.map((policy) => ({ ...policy, head_bytes: 300, tail_bytes: 200 }));
    let cuts = 0;
    await fc.assert(
      fc.asyncProperty(longTexts, cutting, async (text, policy) => {
        const { output, lossMode, originalBytes } = await project(text, policy, { tool: 'bash' });
        if (lossMode !== 'head_tail' && lossMode !== 'composite') return;
        cuts += 1;
        const [head = '', rest = ''] = output.split(BOUNDED_NOTE);
        const tail = rest.slice(0, rest.lastIndexOf('\n\n[Full output was not retained'));
        const omitted = Number(/: omitted (\d+) bytes between/.exec(output)?.[1]);
        expect(text.startsWith(unfold(head))).toBe(true);
        expect(text.endsWith(unfold(tail))).toBe(true);
        const shown = byteLength(unfold(head)) + byteLength(unfold(tail));
        expect(shown + omitted).toBe(originalBytes);
      }),
      { numRuns },
    );
    expect(cuts).toBeGreaterThan(numRuns / 20);
  });
});

const BOUNDED_NOTE =
  /\n\n\[tool output bounded by a3s\.code\.tool-result-transform\.v1: omitted \d+ bytes between retained head\/tail regions\]\n\n/;

function storing() {
  return { tool: 'bash', artifacts: memoryArtifactStore() };
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function unfold(text: string): string {
  return text.replaceAll(
    /([^\n]*\n)\[a3s repeated-line fold: (\d+) additional exact copies omitted\]\n/g,
    (_, line: string, copies: string) => line.repeat(Number(copies) + 1),
  );
}
