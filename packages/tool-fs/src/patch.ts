import {
  defineTool,
  parallelRead,
  ToolError,
  versionConflict,
  type Effect,
  type Tool,
  type ToolContext,
} from '@toolwright/core';
import { touchedPaths, type FilePatch } from './patch/file-patch.ts';
import { loadFiles, toFileState, type LoadedFile } from './patch/load-files.ts';
import { parsePatch } from './patch/parse.ts';
import { patchMetadata, patchSummary } from './patch/patch-report.ts';
import { planPatch } from './patch/plan.ts';
import { realPatches } from './patch/real-patches.ts';
import { promoteChanges, toChanges } from './patch/write-plan.ts';

/** Code points of a diff. */
const MAX_DIFF_CHARACTERS = 8_388_608;
/** Paths that one patch can touch. */
const MAX_PATCHED_PATHS = 1_000;

type PatchContext = ToolContext<'files.read' | 'files.write'>;

/**
 * The `patch` tool: applies a unified, git-style or V4A diff to the workspace, all files or none. Effects
 * are one write for each path that the diff touches (reads for a dry run).
 */
export function patchTool(): Tool {
  return defineTool({
    name: 'patch',
    title: 'Apply a patch',
    description:
      'Applies a diff to one or more files: changes, creates, deletes, renames, copies, executable bits. Takes a unified or git diff, or the "*** Begin Patch" … "*** End Patch" form. Either all files change or none does. Context and removed lines must be in the file exactly; line numbers are only a hint, and a hunk that fits at several places is refused. The counts in "@@ -1,3 +1,4 @@" must be right; "@@" without numbers needs none. Use it for changes at several places or in several files; use edit for one replacement and write for a whole new file. Read the files first.',
    keywords: [
      'diff',
      'apply',
      'apply_patch',
      'unified diff',
      'git apply',
      'hunk',
      'rename',
      'move',
    ],
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['diff'],
      properties: {
        diff: {
          type: 'string',
          minLength: 1,
          maxLength: MAX_DIFF_CHARACTERS,
          description:
            'The diff. Paths are relative to the workspace root; "a/" and "b/" prefixes are removed. Text around the diff is ignored.',
        },
        file_path: {
          type: 'string',
          minLength: 1,
          description: 'Apply all hunks to this file and ignore the file names in the diff.',
        },
        if_match: {
          type: 'object',
          maxProperties: MAX_PATCHED_PATHS,
          additionalProperties: {
            type: 'string',
            pattern: '^(?:[0-9a-f]{64}|absent)$',
          },
          description:
            'Refuse unless these files are as they were read: path to sha256 (64 hex digits), or "absent".',
        },
        dry_run: {
          type: 'boolean',
          default: false,
          description: 'Check and report, but write nothing. Default false.',
        },
      },
    },
    examples: [
      {
        diff: '--- a/src/add.ts\n+++ b/src/add.ts\n@@ -1,3 +1,3 @@\n export function add(a: number, b: number) {\n-  return a - b;\n+  return a + b;\n }\n',
      },
      {
        diff: '*** Begin Patch\n*** Update File: src/add.ts\n@@ export function add(a: number, b: number) {\n-  return a - b;\n+  return a + b;\n*** End Patch\n',
        dry_run: true,
      },
    ],
    requires: ['files.read', 'files.write'],
    capabilities: ({ dry_run }) =>
      dry_run ? { ...parallelRead(16), outputKind: 'diff' } : { outputKind: 'diff' },
    effects: ({ diff, file_path, dry_run }) => effectsOf(parsePatch(diff, file_path), dry_run),
    async run({ diff, file_path, if_match = {}, dry_run }, context) {
      const patches = await realPatches(parsePatch(diff, file_path), context.workspace);
      const paths = touchedPaths(patches);
      const files = await loadFiles(context, paths);
      await assertMatches(if_match, files, context);
      const plan = planPatch(
        patches,
        new Map(paths.map((path) => [path, stateOf(path, files.get(path))])),
      );
      const { changes, after } = await toChanges(plan, files);
      if (!dry_run) await promoteChanges(changes, context);
      const before = new Map<string, string>();
      for (const [path, file] of files) if (file !== null) before.set(path, file.sha256);
      return {
        output: patchSummary(plan, dry_run),
        metadata: patchMetadata(plan, { before, after }, dry_run),
      };
    },
  });
}

/** One write for each touched path; what is only copied from is read. */
function effectsOf(patches: readonly FilePatch[], dryRun: boolean): readonly Effect[] {
  const paths = touchedPaths(patches);
  if (paths.length > MAX_PATCHED_PATHS) {
    throw new ToolError(
      'limit_exceeded',
      `The diff touches ${paths.length} paths; one patch takes at most ${MAX_PATCHED_PATHS}. Send it in parts.`,
      { reason: 'too_many_paths' },
    );
  }
  const written = new Set(
    patches.flatMap((one) => (one.action === 'rename' ? [one.from, one.path] : [one.path])),
  );
  return paths.map((target) => ({
    kind: dryRun || !written.has(target) ? 'read' : 'write',
    target,
  }));
}

function stateOf(path: string, file: LoadedFile | null | undefined) {
  return file === null || file === undefined ? null : toFileState(path, file);
}

/** Refuses files that are not as the caller read them, and paths that the diff does not touch. */
async function assertMatches(
  expected: Readonly<Record<string, string>>,
  files: ReadonlyMap<string, LoadedFile | null>,
  context: PatchContext,
): Promise<void> {
  for (const [path, version] of Object.entries(expected)) {
    const real = await context.workspace.resolvePath(path);
    const file = files.get(real);
    if (file === undefined) {
      throw new ToolError(
        'invalid_argument',
        `if_match names ${JSON.stringify(path)}, which the diff does not touch.`,
        { reason: 'unknown_path', fields: { path } },
      );
    }
    const actual = file?.sha256 ?? null;
    if (version !== (actual ?? 'absent')) throw versionConflict(real, version, actual);
  }
}
