import type { CatalogEntry } from '@toolwright/core';

/** What a reminder is made of. */
export type ReminderEntry = Pick<CatalogEntry, 'name' | 'provider' | 'state' | 'loaded'>;

/** Names that a reminder lists; of more it tells how many each provider has. */
const maxNames = 400;

/**
 * Tells a model which tools it can look for, and on later turns only what has changed, so that what it has read
 * stays valid and cached. Descriptions are not in it: they may come from outside.
 */
export class DeferredReminder {
  #told: ReadonlySet<string> | undefined;

  /** The text for the next turn; undefined when there is nothing new. */
  next(entries: readonly ReminderEntry[]): string | undefined {
    const deferred = entries.filter(({ state, loaded }) => state === 'deferred' && !loaded);
    const names = new Set(deferred.map(({ name }) => name));
    const told = this.#told;
    this.#told = names;
    if (told === undefined) return names.size === 0 ? undefined : whole(deferred);
    const added = deferred.filter(({ name }) => !told.has(name));
    const gone = [...told].filter((name) => !names.has(name)).toSorted();
    const loaded = new Set(entries.filter((entry) => entry.loaded).map(({ name }) => name));
    return changes({ added, removed: gone.filter((name) => !loaded.has(name)) });
  }

  /** Forgets what was told: the whole list is due again, as after a summary has replaced the messages. */
  reset(): void {
    this.#told = undefined;
  }
}

function whole(deferred: readonly ReminderEntry[]): string {
  return `<available-deferred-tools>\n${listing(deferred)}\n</available-deferred-tools>`;
}

function changes(change: {
  readonly added: readonly ReminderEntry[];
  readonly removed: readonly string[];
}): string | undefined {
  const { added, removed } = change;
  const parts = [
    ...(added.length === 0 ? [] : [`added:\n${listing(added)}`]),
    ...(removed.length === 0 ? [] : [`no longer there:\n${removed.map(safe).join('\n')}`]),
  ];
  if (parts.length === 0) return undefined;
  return `<available-deferred-tools-changed>\n${parts.join('\n')}\n</available-deferred-tools-changed>`;
}

function listing(entries: readonly ReminderEntry[]): string {
  if (entries.length <= maxNames) return entries.map(({ name }) => safe(name)).join('\n');
  const counts = new Map<string, number>();
  for (const { provider } of entries) counts.set(provider, (counts.get(provider) ?? 0) + 1);
  return [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([provider, count]) => `${safe(provider)}: ${count} tools`)
    .join('\n');
}

/** Names are words; whatever else came along would be data, never markup. */
function safe(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}_.:-]/gu, '_');
}
