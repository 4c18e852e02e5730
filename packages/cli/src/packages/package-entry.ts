import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '@toolwright/core';
import { ConfigError } from '../config/config-error.ts';

/** The conditions under which Node imports a package, in no order: that of the package counts. */
const conditions = new Set(['node', 'import', 'module-sync', 'default']);

/** A package on disk. */
export interface PackageFolder {
  readonly folder: string;
  readonly manifest: JsonObject;
}

/** Reads the package in a folder. Errors: `ConfigError`. */
export function readPackage(folder: string): PackageFolder {
  const path = join(folder, 'package.json');
  let manifest: JsonValue;
  try {
    // JSON.parse gives JSON values.
    manifest = JSON.parse(readFileSync(path, 'utf8')) as JsonValue;
  } catch (error) {
    throw new ConfigError(
      `${path}: is no package (${error instanceof Error ? error.message : String(error)})`,
    );
  }
  if (!isJsonObject(manifest)) throw new ConfigError(`${path}: is no JSON object`);
  return { folder, manifest };
}

/**
 * The package of a name as Node would find it from `from`: the one that this is itself, else the nearest installed one;
 * undefined where there is none.
 */
export function findPackage(name: string, from: string): PackageFolder | undefined {
  let isInside = true;
  for (let at = resolve(from); ; at = dirname(at)) {
    if (isInside && existsSync(join(at, 'package.json'))) {
      isInside = false;
      const around = readPackage(at);
      if (around.manifest['name'] === name) return around;
    }
    const folder = join(at, 'node_modules', name);
    if (existsSync(join(folder, 'package.json'))) return readPackage(folder);
    if (at === dirname(at)) return undefined;
  }
}

/**
 * The file that `import` of the package gives: `exports` by its conditions, also those that only `import` meets, else
 * `main`. Errors: `ConfigError` for a package that exports nothing, or names a file that is not there.
 */
export function entryOf({ folder, manifest }: PackageFolder): string {
  const { exports, main } = manifest;
  const entry =
    exports === undefined ? (typeof main === 'string' ? main : 'index.js') : mainOf(exports);
  if (entry === undefined) {
    throw new ConfigError(`${join(folder, 'package.json')}: /exports names no file to import`);
  }
  const path = join(folder, entry);
  if (!existsSync(path)) {
    throw new ConfigError(`${path} is not there, which the package exports: build it first.`);
  }
  return path;
}

function mainOf(exports: JsonValue): string | undefined {
  const isBySubpath =
    isJsonObject(exports) && Object.keys(exports).some((key) => key.startsWith('.'));
  return targetOf(isBySubpath ? exports['.'] : exports);
}

function targetOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value.startsWith('./') ? value : undefined;
  if (value === undefined || value === null) return undefined;
  const options = isJsonArray(value)
    ? value
    : isJsonObject(value)
      ? Object.entries(value)
          .filter(([key]) => conditions.has(key))
          .map(([, target]) => target)
      : [];
  for (const option of options) {
    const target = targetOf(option);
    if (target !== undefined) return target;
  }
  return undefined;
}
