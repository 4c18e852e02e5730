import type { GrepOutcome } from '@toolwright/core';
import { showName } from './show-name.ts';

export type NotSearched = GrepOutcome['notSearched'];

/** Entries that metadata hold; the rest is counted in the last. */
const maxKept = 200;

const told = 5;

/** One line that says what was not searched and why, or nothing. */
export function renderNotSearched(notSearched: NotSearched): string {
  if (notSearched.length === 0) return '';
  const byReason = new Map<string, string[]>();
  let more = 0;
  for (const { path, reason } of notSearched) {
    const uncounted = /^(\d+)_more$/.exec(reason);
    if (uncounted !== null) more += Number(uncounted[1]);
    else byReason.set(reason, [...(byReason.get(reason) ?? []), path]);
  }
  const parts = [...byReason].map(([reason, paths]) => {
    const names = paths.slice(0, told).map((path) => showName(path === '' ? '.' : path));
    return `${reason}: ${names.join(', ')}${paths.length > told ? ', …' : ''}`;
  });
  const count = notSearched.length + (more > 0 ? more - 1 : 0);
  return `[${count} ${count === 1 ? 'path' : 'paths'} not searched (${parts.join('; ')})]\n`;
}

/** A list for metadata, of a length that they bear. */
export function boundedNotSearched(notSearched: NotSearched): { path: string; reason: string }[] {
  const kept = notSearched.slice(0, maxKept).map(({ path, reason }) => ({ path, reason }));
  if (notSearched.length <= maxKept) return kept;
  const rest = notSearched.length - maxKept + 1;
  return [...kept.slice(0, -1), { path: '', reason: `${rest}_more` }];
}
