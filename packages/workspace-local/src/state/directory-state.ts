import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { compareUtf8, type StateStore } from '@toolwright/core';
import { codeOf } from '../files/local-paths.ts';

const keyPattern = /^[a-z0-9-]+(?:\/[a-z0-9-]+)*$/;

/**
 * A directory as a state store: one file a key, readable by its owner alone. Writes go to a temporary file and
 * are renamed, so a reader sees the old bytes or the new ones. Errors: `TypeError` for a malformed key.
 */
export function directoryState(directory: string): StateStore {
  const toFile = (key: string): string => {
    if (!keyPattern.test(key)) throw new TypeError(`${JSON.stringify(key)} is no state key.`);
    return `${join(directory, ...key.split('/'))}.bin`;
  };
  return {
    read: async (key) => {
      try {
        return await readFile(toFile(key));
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return undefined;
        throw error;
      }
    },
    write: async (key, bytes) => {
      const file = toFile(key);
      await makeDirectory(dirname(file));
      const temporary = `${file}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`;
      try {
        await writeDurably(temporary, 'wx', bytes);
        await rename(temporary, file);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
      await syncDirectory(dirname(file));
    },
    append: async (key, bytes) => {
      const file = toFile(key);
      await makeDirectory(dirname(file));
      await writeDurably(file, 'a', bytes);
    },
    delete: async (key) => {
      await rm(toFile(key), { force: true });
    },
    list: async (prefix) => {
      const names = await filesBelow(directory);
      return names
        .map((name) => relative(directory, name).split(sep).join('/'))
        .filter((name) => name.endsWith('.bin'))
        .map((name) => name.slice(0, -'.bin'.length))
        .filter((key) => key.startsWith(prefix))
        .sort(compareUtf8);
    },
  };
}

/** The name of a workspace's own folder in a directory that holds the state of many. */
export function stateFolderOf(root: string): string {
  return createHash('sha256').update(root).digest('hex').slice(0, 32);
}

async function makeDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
}

async function writeDurably(file: string, flags: 'wx' | 'a', bytes: Uint8Array): Promise<void> {
  const handle = await open(file, flags, 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function filesBelow(directory: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
