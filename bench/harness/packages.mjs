import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const packages = new URL('../../packages/', import.meta.url);

/** The built file behind an export of one of our packages, by its folder: `builtFile('core', './testing')`. */
export function builtFile(folder, entry = '.') {
  const home = new URL(`${folder}/`, packages);
  const manifest = JSON.parse(readFileSync(new URL('package.json', home), 'utf8'));
  const file = new URL(manifest.exports[entry].default, home);
  if (!existsSync(file)) throw new Error(`${fileURLToPath(file)} is not built`);
  return file.href;
}

/** Imports one of our packages as published: `const { createHost } = await ours('core')`. */
export function ours(folder, entry = '.') {
  return import(builtFile(folder, entry));
}
