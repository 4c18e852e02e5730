import type { SessionResource } from '@toolwright/core';
import type { TextScan } from './scan-text.ts';

/** What is kept of a file that was read. */
export interface CachedScan {
  /** The state of the file that it holds for. */
  readonly token: string;
  readonly document: 'text' | 'pdf' | 'notebook';
  readonly scan: TextScan;
  /** Text taken out of a document, and the digest of the document itself. */
  readonly taken?: { readonly text: Uint8Array; readonly sha256: string };
}

/** Files that are remembered in a session. */
const MAX_FILES = 256;
/** Bytes of text taken out of documents that are kept in a session. */
const MAX_TAKEN_BYTES = 33_554_432;

/** The scans of a session, the latest used kept longest. */
export interface ScanCache {
  get(path: string, token: string): CachedScan | undefined;
  set(path: string, entry: CachedScan): void;
}

/** The key of the session's scans. */
export const scanCache: SessionResource<ScanCache> = { create: createScanCache };

/** An empty cache; entries of an older state are dropped when the path is asked for. */
export function createScanCache(): ScanCache {
  const entries = new Map<string, CachedScan>();
  let takenBytes = 0;
  const drop = (path: string): void => {
    takenBytes -= entries.get(path)?.taken?.text.length ?? 0;
    entries.delete(path);
  };
  return {
    get: (path, token) => {
      const entry = entries.get(path);
      if (entry === undefined) return undefined;
      if (entry.token !== token) {
        drop(path);
        return undefined;
      }
      entries.delete(path);
      entries.set(path, entry);
      return entry;
    },
    set: (path, entry) => {
      drop(path);
      entries.set(path, entry);
      takenBytes += entry.taken?.text.length ?? 0;
      for (const oldest of entries.keys()) {
        if (entries.size <= MAX_FILES && takenBytes <= MAX_TAKEN_BYTES) break;
        drop(oldest);
      }
    },
  };
}
