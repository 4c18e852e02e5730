import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryArtifactStore } from '../../src/artifacts/memory-artifact-store.ts';
import { contextEfficientProjection, type ProjectionPolicy } from '../../src/projection/policy.ts';
import { project } from '../../src/projection/project.ts';
import { inChunks } from './generators.ts';

const numRuns = process.env['TOOLWRIGHT_LONG'] === '1' ? 3000 : 300;
const small: ProjectionPolicy = {
  ...contextEfficientProjection,
  max_output_bytes: 2048,
  head_bytes: 1024,
  tail_bytes: 512,
};

function storing() {
  return { tool: 'search', artifacts: memoryArtifactStore() };
}

describe('sampling a JSON array', () => {
  it.each([20_000, 250_000])('of %i items tells the exact number and keeps 32', async (count) => {
    const items = Array.from({ length: count }, (_, index) => ({ index }));
    const projection = await project(JSON.stringify(items), contextEfficientProjection, storing());
    const retention = projection.retention;
    expect(JSON.parse(projection.output)).toEqual({
      $a3s_sample: {
        schema: 'a3s.code.tool-result-transform.v1',
        kind: 'json_array',
        original_items: count,
        retained_items: 32,
        omitted_items: count - 32,
        artifact_uri: retention?.retained === true ? retention.artifact.uri : 'none',
      },
      items: [...items.slice(0, 16), ...items.slice(-16)],
    });
    expect(projection.lossMode).toBe('deterministic_transform');
  });

  it('keeps the raw text of its items', async () => {
    const items = [
      '1152921504606846977',
      '1.0',
      '-0',
      '1e2',
      '{ "b":1, "a":2,  "b":3 }',
      '"\\u0041\\/"',
      '[ 1,\n 2 ]',
    ];
    const text = `[ ${items.join(' ,\n')} ,${'"x",'.repeat(1000)}true]`;
    const policy = { ...small, structured_sample_items: 14 };
    const { output } = await project(text, policy, { tool: 'search' });
    expect(output).toBe(
      '{"$a3s_sample":{"schema":"a3s.code.tool-result-transform.v1","kind":"json_array","original_items":1008,' +
        '"retained_items":14,"omitted_items":994,"not_retained":"no_store"},' +
        `"items":[${items.join(',')},${'"x",'.repeat(6)}true]}`,
    );
  });

  it('chooses as many items as fit, the first ones first', async () => {
    const items = Array.from({ length: 40 }, (_, index) => `${index}:${'x'.repeat(330)}`);
    const { output } = await project(JSON.stringify(items), small, { tool: 'search' });
    expect(JSON.parse(output)).toMatchObject({
      $a3s_sample: { original_items: 40, retained_items: 5, omitted_items: 35 },
      items: [items[0], items[1], items[2], items[38], items[39]],
    });
  });

  it('looks into objects, and leaves what stands around the arrays as it is', async () => {
    const items = Array.from({ length: 500 }, (_, index) => index);
    const edges = Array.from({ length: 300 }, (_, index) => [index, [index]]);
    const text = `{ "total" : 1.0, "data": {"items" : ${JSON.stringify(items)}, "few": [ 1, 2 ]}, "edges":${JSON.stringify(edges)}, "next":null }\n`;
    const { output } = await project(text, small, { tool: 'search' });
    expect(JSON.parse(output)).toEqual({
      total: 1,
      data: {
        items: {
          $a3s_sample: {
            schema: 'a3s.code.tool-result-transform.v1',
            kind: 'json_array',
            original_items: 500,
            retained_items: 32,
            omitted_items: 468,
            not_retained: 'no_store',
          },
          items: [...items.slice(0, 16), ...items.slice(-16)],
        },
        few: [1, 2],
      },
      edges: {
        $a3s_sample: {
          schema: 'a3s.code.tool-result-transform.v1',
          kind: 'json_array',
          original_items: 300,
          retained_items: 32,
          omitted_items: 268,
        },
        items: [...edges.slice(0, 16), ...edges.slice(-16)],
      },
      next: null,
    });
    expect(output).toMatch(/^\{ "total" : 1\.0, "data": \{"items" : \{"\$a3s_sample"/);
    expect(output).toMatch(/, "next":null \}\n$/);
  });

  it('keeps NDJSON NDJSON', async () => {
    const lines = Array.from({ length: 400 }, (_, index) => `{"n": ${index}.0}`);
    for (const last of ['\n', '']) {
      const policy = { ...small, structured_sample_items: 5 };
      const { output } = await project(lines.join('\n') + last, policy, { tool: 'search' });
      expect(output).toBe(
        [
          ...lines.slice(0, 3),
          '{"$a3s_sample":{"schema":"a3s.code.tool-result-transform.v1","kind":"ndjson","original_items":400,' +
            '"retained_items":5,"omitted_items":395,"not_retained":"no_store"}}',
          ...lines.slice(-2),
        ].join('\n') + last,
      );
    }
  });

  it.each([
    ['one item alone does not fit', `["${'x'.repeat(5000)}",1]`],
    ['what stands beside the array does not fit', `{"a":"${'x'.repeat(3000)}","b":[1,2,3]}`],
    ['there is no array', `{"a":"${'x'.repeat(3000)}"}`],
    ['it is cut off', `[${'1,'.repeat(3000)}`],
    ['text follows', `[${'1,'.repeat(3000)}1] done`],
    ['the first line alone does not fit', `{"a":"${'x'.repeat(3000)}"}\n{"a":1}\n`],
    ['only white space could go', `[1,${' '.repeat(5000)}2]`],
  ])('is no use where %s: then it is cut like text', async (_name, text) => {
    const { output, lossMode } = await project(text, small, { tool: 'search' });
    expect(lossMode).toBe('head_tail');
    expect(output.startsWith(text.slice(0, 800))).toBe(true);
  });

  it('is left out where the text fits, or the policy does not want it', async () => {
    const text = JSON.stringify(Array.from({ length: 500 }, (_, index) => index));
    const fits = await project(text, contextEfficientProjection, { tool: 'search' });
    expect(fits).toMatchObject({ output: text, lossMode: 'none' });
    const off = { ...small, structured_sample_items: 0, max_output_bytes: 1536, head_bytes: 512 };
    expect(await project(text, off, { tool: 'search' })).toMatchObject({ lossMode: 'head_tail' });
  });

  it('replaces ill-formed UTF-8 in strings without leaving the bound', async () => {
    const item = Buffer.concat([Buffer.from('"'), Buffer.alloc(100, 0xff), Buffer.from('",')]);
    const bytes = Buffer.concat([
      Buffer.from('['),
      ...Array.from({ length: 50 }, () => item),
      Buffer.from('1]'),
    ]);
    const { output } = await project(bytes, small, { tool: 'search' });
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(2048);
    expect(JSON.parse(output)).toMatchObject({ $a3s_sample: { original_items: 51 } });
    expect(output).toContain('\ufffd');
  });
});

describe('every sample', () => {
  const values = fc.oneof(
    fc.json({ maxDepth: 2 }),
    fc.string({ maxLength: 200 }).map((text) => JSON.stringify(text)),
  );
  const arrays = fc
    .array(values, { minLength: 1, maxLength: 30 })
    .chain((items) => fc.tuple(fc.constant(items), fc.integer({ min: 1, max: 40 })))
    .map(([items, times]) => Array.from({ length: times }, () => items).flat());
  const policies = fc
    .record({ max: fc.integer({ min: 1024, max: 4096 }), items: fc.integer({ min: 1, max: 64 }) })
    .map(({ max, items }): ProjectionPolicy => ({
      ...small,
      max_output_bytes: max,
      head_bytes: 256,
      tail_bytes: 256,
      structured_sample_items: items,
    }));

  it(
    'is valid JSON within the bound: a true number of first and last items',
    { timeout: 600_000 },
    async () => {
      let sampled = 0;
      await fc.assert(
        fc.asyncProperty(arrays, policies, async (items, policy) => {
          const text = `[${items.join(',')}]`;
          const { output, lossMode } = await project(text, policy, { tool: 'search' });
          expect(Buffer.byteLength(output)).toBeLessThanOrEqual(policy.max_output_bytes);
          if (lossMode !== 'deterministic_transform') return;
          sampled += 1;
          const { $a3s_sample: note, items: kept } = JSON.parse(output);
          expect(note.original_items).toBe(items.length);
          expect(note.retained_items).toBe(kept.length);
          expect(note.omitted_items).toBe(items.length - kept.length);
          expect(kept.length).toBeLessThanOrEqual(policy.structured_sample_items);
          const head = Math.ceil(kept.length / 2);
          const tail = kept.length - head;
          const expected = [...items.slice(0, head), ...items.slice(items.length - tail)];
          expect(output.endsWith(`"items":[${expected.join(',')}]}`)).toBe(true);
        }),
        { numRuns },
      );
      expect(sampled).toBeGreaterThan(numRuns / 10);
    },
  );

  it('does not depend on the chunks', { timeout: 600_000 }, async () => {
    const forms = fc.constantFrom('array', 'object', 'lines');
    const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(arrays, policies, forms, sizes, async (...[items, policy, form, chunks]) => {
        const array = `[${items.join(', ')}]`;
        const text = {
          array,
          object: `{"a":{"b":${array}},"c":[${array}],"d":[1]}`,
          lines: items.map((item) => `{"v":${item}}\n`).join(''),
        }[form];
        const bytes = Buffer.from(text);
        const whole = await project(bytes, policy, storing());
        expect(await project(inChunks(bytes, chunks), policy, storing())).toEqual(whole);
        const tiny = bytes.length < 5000 ? 1 : 17;
        expect(await project(inChunks(bytes, [tiny]), policy, storing())).toEqual(whole);
      }),
      { numRuns: numRuns / 6 },
    );
  });
});
