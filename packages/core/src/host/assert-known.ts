import { nearestName } from '../validation/nearest-name.ts';

/**
 * Checks the names of options, for callers without types: one that is misspelt would be a policy, a limit or a secret that
 * nobody keeps to. Errors: `TypeError` that names the nearest.
 */
export function assertKnown(
  place: string,
  given: unknown,
  known: Readonly<Record<string, true>>,
): void {
  if (typeof given !== 'object' || given === null) return;
  const unknown = Object.entries(given).find(
    ([name, value]) => value !== undefined && !Object.hasOwn(known, name),
  );
  if (unknown === undefined) return;
  const names = Object.keys(known);
  const nearest = nearestName(unknown[0], names);
  throw new TypeError(
    `${place} has no option ${JSON.stringify(unknown[0])}; ${
      nearest === undefined ? `there are: ${names.join(', ')}.` : `did you mean ${nearest}?`
    }`,
  );
}
