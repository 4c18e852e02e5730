import type { ArtifactAccess } from '@toolwright/core';
import { expect, test } from 'vitest';
import { PREVIEW_BYTES, previewChange } from '../../src/change/change-preview.ts';

test('a store that breaks leaves a preview without the whole: the file has been changed already', async () => {
  const broken = (): Promise<never> => Promise.reject(new Error('the store is gone'));
  const artifacts: ArtifactAccess = { writer: broken, stat: broken, read: broken };
  const change = { before: '', after: 'line\n'.repeat(4_000) };
  const { facts, text } = await previewChange(artifacts, change);
  expect(facts).toMatchObject({ added_lines: 4_000, truncated: true, artifact_uri: null });
  expect(text).toMatch(/^@@ -0,0 \+1,4000 @@\n\+line\n/u);
  expect(text).toMatch(/more bytes of the diff were not kept\]\n$/u);
  expect(Buffer.byteLength(text)).toBeLessThan(PREVIEW_BYTES + 100);
});
