import * as fc from 'fast-check';
import { afterAll, expect, test, vi } from 'vitest';
import { createHost, defineProvider, defineTool, memoryWorkspace } from '../../src/index.ts';
import type { ProjectionPolicy, ToolOutput } from '../../src/index.ts';
import type { project } from '../../src/projection/project.ts';
import { byteOutputs, inChunks, lineTexts, policies } from '../projection/generators.ts';

const numRuns = process.env['TOOLWRIGHT_LONG'] === '1' ? 10_000 : 150;

afterAll(() => {
  vi.doUnmock('../../src/digest/sha256-node.ts');
  vi.resetModules();
});

/** What a session makes of one output, with what differs from call to call left out. */
async function resultOf(output: ToolOutput['output'], projection: ProjectionPolicy) {
  const say = defineTool({
    name: 'say',
    description: 'Says what it is given.',
    input: { type: 'object', properties: {}, additionalProperties: false },
    effects: () => [],
    run: async () => ({ output }),
  });
  const session = await createHost({
    providers: [defineProvider({ name: 'says', version: '1.0.0', tools: [say] })],
    projection,
    secrets: ['never-in-any-of-these-outputs'],
  }).open({ workspace: memoryWorkspace() });
  const { output: text, metadata } = await session.tool('say', {}, { id: 'c1' });
  await session.close();
  return { text, metadata };
}

const sizes = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 5 });

test('I4: a text, its bytes and a stream of them in any chunks give one result', async () => {
  await fc.assert(
    fc.asyncProperty(lineTexts, policies, sizes, async (text, policy, chunkSizes) => {
      const bytes = new TextEncoder().encode(text);
      const whole = await resultOf(text, policy);
      expect(await resultOf(bytes, policy)).toEqual(whole);
      expect(await resultOf(inChunks(bytes, chunkSizes), policy)).toEqual(whole);
      expect(await resultOf(inChunks(bytes, [bytes.length]), policy)).toEqual(whole);
    }),
    { numRuns, seed: 4 },
  );
}, 3_600_000);

test('I4: the digests of Node and the portable ones give one projection', async () => {
  const native = await load();
  vi.doMock('../../src/digest/sha256-node.ts', () => import('../../src/digest/sha256-portable.ts'));
  vi.resetModules();
  const portable = await load();
  expect(portable.createSha256).not.toBe(native.createSha256);
  expect(portable.createSha256).toBe(
    (await import('../../src/digest/sha256-portable.ts')).createSha256,
  );
  await fc.assert(
    fc.asyncProperty(byteOutputs, policies, sizes, async (bytes, policy, chunkSizes) => {
      for (const output of [bytes, inChunks(bytes, chunkSizes)]) {
        const one = await native.run(bytes, policy);
        expect(await portable.run(output, policy)).toEqual(one);
      }
    }),
    { numRuns, seed: 5 },
  );
}, 3_600_000);

/** Projection on the digests that are loaded at the moment. */
async function load() {
  const [projecting, digests, stores] = await Promise.all([
    import('../../src/projection/project.ts'),
    import('../../src/digest/sha256.ts'),
    import('../../src/artifacts/memory-artifact-store.ts'),
  ]);
  return {
    createSha256: digests.createSha256,
    run: (source: Parameters<typeof project>[0], policy: ProjectionPolicy) =>
      projecting.project(source, policy, { tool: 'say', artifacts: stores.memoryArtifactStore() }),
  };
}
