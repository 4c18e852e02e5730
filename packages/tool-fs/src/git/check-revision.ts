import { ToolError } from '@toolwright/core';

/**
 * A revision as a caller wrote it (`main`, `HEAD~1`, `v1.0^{}`, `a..b`), checked so that git cannot take it for
 * an option: the ends of a range count each. Errors: `invalid_argument` (`bad_ref`).
 */
export function checkRevision(revision: string, field: string): string {
  if (revision.trim() === '') throw badRevision(field, 'is blank');
  // The name of a file may hold any character but NUL.
  const path = pathOfRevision(revision) ?? '';
  const isPlain = !hasControl(revision.slice(0, revision.length - path.length));
  if (!isPlain || path.includes('\0')) throw badRevision(field, 'holds a control character');
  for (const end of revision.split(/\.{2,3}/)) {
    if (/^\^?-/.test(end)) throw badRevision(field, 'begins with a dash, as an option does');
  }
  return revision;
}

/** The path of a revision that names a file (`HEAD:src/a.ts`, `:0:a.ts`); null for any other. */
export function pathOfRevision(revision: string): string | null {
  if (revision.startsWith(':/')) return null; // a search in commit messages
  const stage = /^:(?:[0-3]:)?(.*)$/s.exec(revision);
  if (stage !== null) return stage[1] ?? '';
  // `^{/text}` and `@{date}` may hold a colon.
  const colon = revision.replaceAll(/\{[^}]*\}/g, (text) => '_'.repeat(text.length)).indexOf(':');
  return colon < 0 ? null : revision.slice(colon + 1);
}

/**
 * The name of a branch to make, by the rules of `git check-ref-format`. Errors: `invalid_argument`
 * (`bad_branch_name`).
 */
export function checkBranchName(name: string, field: string): string {
  if (isBranchName(name)) return name;
  throw new ToolError(
    'invalid_argument',
    `${field} ${JSON.stringify(name)} is no valid branch name; use letters, digits, "-", "_" and "/".`,
    { reason: 'bad_branch_name', fields: { field } },
  );
}

/** Whether a text can be the name of a branch, and is no expression such as `main~1`. */
export function isBranchName(name: string): boolean {
  const parts = name.split('/');
  const wrong =
    name === '' ||
    name === '@' ||
    name === 'HEAD' ||
    name.startsWith('-') ||
    name.endsWith('.') ||
    hasControl(name) ||
    /[ ~^:?*[\\]|\.\.|@\{/.test(name) ||
    parts.some((part) => part === '' || part.startsWith('.') || part.endsWith('.lock'));
  return !wrong;
}

function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || unit === 0x7f) return true;
  }
  return false;
}

function badRevision(field: string, why: string): ToolError {
  return new ToolError(
    'invalid_argument',
    `${field} ${why}; name a branch, a tag, a commit or a range such as main..dev.`,
    { reason: 'bad_ref', fields: { field } },
  );
}
