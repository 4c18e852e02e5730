import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { StateStore } from '@toolwright/core';

/** State in a directory, a file a key: what a killed process has appended is there. */
export function fileState(root: string): StateStore {
  const at = (key: string): string => {
    const path = join(root, key);
    mkdirSync(dirname(path), { recursive: true });
    return path;
  };
  return {
    read: async (key) => (existsSync(at(key)) ? readFileSync(at(key)) : undefined),
    write: async (key, bytes) => writeFileSync(at(key), bytes),
    append: async (key, bytes) => appendFileSync(at(key), bytes),
    delete: async (key) => rmSync(at(key), { force: true }),
    list: async (prefix) => {
      const folder = join(root, dirname(`${prefix}x`));
      const names = existsSync(folder) ? readdirSync(folder) : [];
      return names
        .map((name) => `${dirname(`${prefix}x`)}/${name}`)
        .filter((key) => key.startsWith(prefix))
        .sort();
    },
  };
}
