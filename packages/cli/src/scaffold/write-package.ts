import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ToolError } from '@toolwright/core';
import { toPackageNames, type PackageNames } from './package-names.ts';

/** What was written. */
export interface WrittenPackage extends PackageNames {
  readonly path: string;
  /** Relative to it, sorted. */
  readonly files: readonly string[];
}

const template = fileURLToPath(new URL('../../template', import.meta.url));

/** What npm would leave out of our package, or take for one inside it, stands in the template under another name. */
const ownNames = new Map([
  ['gitignore', '.gitignore'],
  ['manifest.json', 'package.json'],
]);

/**
 * Writes a new tool package into a folder of its name under `parent`. Errors: `invalid_argument` with `bad_name`, or with
 * `already_exists` where something stands in its place; an empty folder may. Nothing is written then.
 */
export function writePackage(packageName: string, parent: string): WrittenPackage {
  const names = toPackageNames(packageName);
  const path = join(parent, names.folder);
  assertFree(path, names.folder);
  const fill = filling(names);
  const files = readdirSync(template, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(template, join(entry.parentPath, entry.name)))
    .map((from) => ({ from, to: ownNames.get(from) ?? fill(from) }))
    .sort((a, b) => (a.to < b.to ? -1 : 1));
  for (const { from, to } of files) {
    const target = join(path, to);
    mkdirSync(dirname(target), { recursive: true });
    // Never over a file that appeared in between.
    writeFileSync(target, fill(readFileSync(join(template, from), 'utf8')), { flag: 'wx' });
  }
  return { ...names, path, files: files.map(({ to }) => to.replaceAll(sep, '/')) };
}

function assertFree(path: string, folder: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.isDirectory() && readdirSync(path).length === 0) return;
  throw new ToolError(
    'invalid_argument',
    `${folder} is there already and is no empty folder; nothing was written. Choose another name, or move it away.`,
    { reason: 'already_exists', fields: { path: folder } },
  );
}

/** Replaces the names that stand for those of the new package, and the version of core that it is made with. */
function filling(names: PackageNames): (text: string) => string {
  const core: unknown = createRequire(import.meta.url)('@toolwright/core/package.json');
  const values: Readonly<Record<string, string>> = {
    PACKAGE: names.packageName,
    SUBJECT: names.subject,
    FACTORY: names.factory,
    TOOL: names.tool,
    CORE: versionOf(core),
  };
  return (text) => text.replaceAll(/__([A-Z]+)__/g, (whole, name: string) => values[name] ?? whole);
}

function versionOf(manifest: unknown): string {
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) {
    return String(manifest.version);
  }
  throw new TypeError('A package has no version.');
}
