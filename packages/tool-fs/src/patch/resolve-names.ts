import type { FilePatch } from './file-patch.ts';
import type { GitHeader } from './git-header.ts';
import { malformedDiff } from './malformed-diff.ts';
import { stripPrefixes, type NamePair } from './name-prefix.ts';
import type { UnifiedSection } from './parse-unified.ts';
import { readQuotedPath } from './quoted-path.ts';

/** Longer names are those of no file; they are not taken apart. */
const maxPathLength = 8_192;

/** The names of one section; null is `/dev/null`. */
interface SectionNames {
  readonly old: string | null;
  readonly new: string | null;
}

/**
 * Says of each section of a unified diff what it does to which path. `a/` and `b/` are removed where they
 * are prefixes; beside `/dev/null` that is so unless another file of the diff shows that there are none.
 *
 * @param filePath stands in for every name, so that names need not make sense
 * @throws ToolError `invalid_argument`/`malformed_diff` when a name is missing or two names disagree
 */
export function resolveNames(
  sections: readonly UnifiedSection[],
  filePath?: string,
): readonly FilePatch[] {
  if (filePath !== undefined) {
    return sections.map((section) => toFilePatch(section, standIn(section, filePath)));
  }
  const bare = sections.some(({ names, diffLine }) => {
    if (names === null) return false;
    const { old, new: created } = readNames(names, diffLine);
    return old !== null && old === created && !/^[ab]\//u.test(old);
  });
  return sections.map((section) => {
    const { git } = section;
    if (git?.move === undefined) return toFilePatch(section, namesOf(section, bare));
    const { kind, from, to } = git.move;
    return { ...baseOf(section), action: kind, from, path: to };
  });
}

function toFilePatch(section: UnifiedSection, names: SectionNames): FilePatch {
  const { diffLine, git } = section;
  const base = baseOf(section);
  if (git?.created === true || names.old === null) {
    return { ...base, action: 'create', path: present(names.new ?? names.old, diffLine) };
  }
  if (git?.deleted === true || names.new === null) {
    return { ...base, action: 'delete', path: present(names.old, diffLine), listsContent: true };
  }
  return { ...base, action: 'modify', path: commonName(names.old, names.new, diffLine) };
}

function baseOf({
  diffLine,
  hunks,
  git,
}: UnifiedSection): Pick<FilePatch, 'diffLine' | 'hunks' | 'executable'> {
  return {
    diffLine,
    hunks,
    ...(git?.executable === undefined ? {} : { executable: git.executable }),
  };
}

/** The given name on each side that exists. */
function standIn(section: UnifiedSection, filePath: string): SectionNames {
  const isNull = (name: string | undefined): boolean =>
    name !== undefined && /^\/dev\/null(?:\t|\r?$)/u.test(name);
  return {
    old: isNull(section.names?.old) ? null : filePath,
    new: isNull(section.names?.new) ? null : filePath,
  };
}

function namesOf(section: UnifiedSection, bare: boolean): SectionNames {
  const { git, diffLine } = section;
  const pair = git === null ? null : splitPair(git, diffLine);
  if (section.names === null) {
    if (pair === null) {
      throw malformedDiff(
        diffLine,
        git === null
          ? 'this hunk belongs to no file; begin it with "--- a/PATH" and "+++ b/PATH", or give file_path.'
          : 'the two names of this "diff --git" line cannot be told apart; add "--- a/PATH" and "+++ b/PATH".',
      );
    }
    return pair;
  }
  const names = readNames(section.names, diffLine);
  if (names.old !== null && names.new !== null) {
    return stripPrefixes(names.old, names.new, git !== null);
  }
  if (pair !== null) return { old: names.old && pair.old, new: names.new && pair.new };
  return {
    old: bare ? names.old : (names.old?.replace(/^a\//u, '') ?? null),
    new: bare ? names.new : (names.new?.replace(/^b\//u, '') ?? null),
  };
}

function readNames(
  names: { readonly old: string; readonly new: string },
  diffLine: number,
): SectionNames {
  return { old: readName(names.old, diffLine), new: readName(names.new, diffLine + 1) };
}

/** A name as `---` and `+++` give it: up to a TAB, after which `diff -u` puts a time and git nothing. */
function readName(text: string, diffLine: number): string | null {
  const name = text.startsWith('"')
    ? readQuotedPath(text, diffLine).path
    : (/^[^\t]*/u.exec(text)?.[0] ?? '').replace(/\r$/u, '');
  return name === '/dev/null' ? null : name;
}

/**
 * The two names of a `diff --git` line. They may hold blanks, so the split is the one at which both name
 * the same file; null when there is none.
 */
function splitPair(git: GitHeader, diffLine: number): NamePair | null {
  const text = git.pair;
  if (text.startsWith('"')) {
    const first = readQuotedPath(text, diffLine);
    return stripPrefixes(first.path, readName(first.rest.trimStart(), diffLine) ?? '', true);
  }
  const found: NamePair[] = [];
  if (text.length > 2 * maxPathLength) return null;
  for (let at = text.indexOf(' '); at !== -1; at = text.indexOf(' ', at + 1)) {
    const pair = stripPrefixes(
      text.slice(0, at),
      readName(text.slice(at + 1), diffLine) ?? '',
      true,
    );
    if (pair.old === pair.new) found.push(pair);
  }
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** The one name of a file that keeps its name; the backup of `diff -u x.orig x` is named for the new side. */
function commonName(old: string, created: string, diffLine: number): string {
  const isBackup =
    old.startsWith(created) && /^(?:\.orig|\.old|\.bak|~)$/u.test(old.slice(created.length));
  if (old !== created && !isBackup) {
    throw malformedDiff(
      diffLine,
      `the names "${old}" and "${created}" differ; say "rename from ${old}" and "rename to ${created}" below a ` +
        '"diff --git" line, or name the file the same on both sides.',
    );
  }
  return present(created, diffLine);
}

function present(name: string | null, diffLine: number): string {
  if (name === null || name === '') {
    throw malformedDiff(diffLine, 'this file has no name on either side.');
  }
  return name;
}
