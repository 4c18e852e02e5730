import { uneditedText } from '../../src/patch/edited-text.ts';
import { parsePatch } from '../../src/patch/parse.ts';
import { planPatch, type FileState } from '../../src/patch/plan.ts';

/** Applies a diff to files that are held as text, by the engine alone. */
export function applyDiff(
  diff: string,
  files: Readonly<Record<string, string>>,
  filePath?: string,
): Record<string, string> {
  const states = new Map<string, FileState | null>(
    Object.entries(files).map(([path, text]) => [
      path,
      { content: uneditedText(text), executable: false, origin: path },
    ]),
  );
  const after: Record<string, string> = { ...files };
  for (const change of planPatch(parsePatch(diff, filePath), states).changes) {
    if (change.after === null) delete after[change.path];
    else after[change.path] = change.after.content.text;
  }
  return after;
}
