import type { Hunk } from './hunk.ts';

/** Where a file patch stands in the diff, and what it does to the executable bits. */
interface FilePatchBase {
  /** The path that the file has afterwards (for `delete`: had), as the diff gives it, prefix removed. */
  readonly path: string;
  /** 1-based line of the diff where its section begins. */
  readonly diffLine: number;
  readonly hunks: readonly Hunk[];
  /** What the diff says of the executable bits; absent when it says nothing. */
  readonly executable?: boolean;
}

/** What a diff asks for one file. */
export type FilePatch =
  | (FilePatchBase & { readonly action: 'create' })
  | (FilePatchBase & { readonly action: 'modify' })
  | (FilePatchBase & {
      readonly action: 'delete';
      /** The hunks list the whole content, so that what they leave over is a mismatch. V4A lists none. */
      readonly listsContent: boolean;
    })
  | (FilePatchBase & { readonly action: 'rename' | 'copy'; readonly from: string });

/** Every path that a diff reads or writes, each once, in the order of the diff; a rename touches both. */
export function touchedPaths(patches: readonly FilePatch[]): readonly string[] {
  const paths = new Set<string>();
  for (const patch of patches) {
    if (patch.action === 'rename' || patch.action === 'copy') paths.add(patch.from);
    paths.add(patch.path);
  }
  return [...paths];
}

/** The path whose content a file patch starts from; for `create` the path itself. */
export function sourceOf(patch: FilePatch): string {
  return patch.action === 'rename' || patch.action === 'copy' ? patch.from : patch.path;
}
