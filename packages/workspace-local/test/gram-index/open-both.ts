import type { GrepRequest, WalkEntry, WalkOptions } from '@toolwright/core';
import { expect } from 'vitest';
import { CredentialBoundary } from '../../src/files/credential-boundary.ts';
import { LocalPaths } from '../../src/files/local-paths.ts';
import type { CandidateSource } from '../../src/gram-index/candidate-source.ts';
import type { SearchIndex } from '../../src/gram-index/search-index.ts';
import { SharedIndex } from '../../src/gram-index/shared-index.ts';
import { LocalSearch } from '../../src/scan/local-search.ts';
import { LocalWalker } from '../../src/walk/local-walker.ts';
import { grepRequest } from '../scan/grep-request.ts';

/** The same search with the index and without. `asked` and `answered` count what the index was asked. */
export function openBoth(root: string, index: SearchIndex) {
  const paths = new LocalPaths(root);
  const credentials = new CredentialBoundary(paths.root, false);
  const counts = { asked: 0, answered: 0, candidates: 0 };
  const counted: CandidateSource = {
    candidates: async (query) => {
      const found = await index.candidates(query);
      counts.asked += 1;
      if (found !== undefined) counts.answered += 1;
      counts.candidates += found?.rows.length ?? 0;
      return found;
    },
    entries: async (query) => {
      const found = await index.entries(query);
      counts.asked += 1;
      if (found !== undefined) counts.answered += 1;
      return found;
    },
    close: async () => index.close(),
  };
  const shared = new SharedIndex({ open: () => counted, afterPasses: 0 });
  const indexed = new LocalSearch({ paths, credentials, index: shared });
  const scanning = new LocalSearch({ paths, credentials });
  return {
    counts,
    /** Asserts that both say the same, and returns it. */
    agree: async (pattern: string, options: Partial<GrepRequest> = {}) => {
      const found = await indexed.grep(grepRequest(pattern, { timeoutMs: 60_000, ...options }));
      expect(found).toEqual(
        await scanning.grep(grepRequest(pattern, { timeoutMs: 60_000, ...options })),
      );
      return found.files.map(({ path }) => path);
    },
    /** Asserts that a walk finds the same with the index and without, and returns it. */
    agreeOnWalk: async (options: WalkOptions) => {
      const [one, other] = [new LocalWalker(paths, shared), new LocalWalker(paths)];
      const found = await entriesOf(one, options);
      expect(found).toEqual(await entriesOf(other, options));
      return found;
    },
    close: async () => {
      await indexed.close();
      await shared.close();
      await scanning.close();
    },
  };
}

/** What a walk meets, and what it could not look into. */
async function entriesOf(walker: LocalWalker, options: WalkOptions) {
  const entries: WalkEntry[] = [];
  const unread: { path: string; reason: string }[] = [];
  for await (const batch of walker.walk({ ...options, onUnread: (each) => unread.push(each) })) {
    for (const { path, kind } of batch) entries.push({ path, kind });
  }
  return { entries, unread };
}
