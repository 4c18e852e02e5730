import { ToolError } from '@toolwright/core';
import { describe, expect, test } from 'vitest';
import { applyDiff } from './apply-diff.ts';
import { patchCases, type PatchCase } from './patch-cases.ts';

describe('handed cases, by the engine', () => {
  test.each(patchCases.map((handed) => [handed.id, handed] as const))('%s', (_, handed) => {
    expect(outcomeOf(handed)).toEqual({ after: handed.after, refused: handed.refused });
  });
});

function outcomeOf(handed: PatchCase): Pick<PatchCase, 'after'> & { refused: unknown } {
  let after: Record<string, string> = { ...handed.files };
  for (const diff of handed.diffs) {
    try {
      after = applyDiff(diff, after);
    } catch (error) {
      if (!ToolError.isInstance(error)) throw error;
      const { type, reason, fields } = error;
      return { after, refused: { type, reason, path: fields['path'] } };
    }
  }
  return { after, refused: undefined };
}
