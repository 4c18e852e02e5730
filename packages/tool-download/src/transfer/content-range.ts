/** What a `Content-Range` header says: bytes `start` to `end`, both included, of `total`. */
export interface ContentRange {
  readonly start: number;
  readonly end: number;
  /** `undefined` for `*`: the whole is not known. */
  readonly total: number | undefined;
}

/**
 * Reads `bytes 6-9/10` (RFC 9110, section 14.4); `undefined` for anything that is malformed or impossible: an end before the start, an
 * end behind the total, a number that cannot be exact.
 */
export function parseContentRange(value: string | undefined): ContentRange | undefined {
  const match = /^bytes (?<start>\d+)-(?<end>\d+)\/(?<total>\d+|\*)$/u.exec(value?.trim() ?? '');
  if (match?.groups === undefined) {
    return undefined;
  }
  const start = Number(match.groups['start']);
  const end = Number(match.groups['end']);
  const total = match.groups['total'] === '*' ? undefined : Number(match.groups['total']);
  const isPossible =
    Number.isSafeInteger(end) &&
    start <= end &&
    (total === undefined || (Number.isSafeInteger(total) && end < total));
  return isPossible ? { start, end, total } : undefined;
}

/** The total in the `Content-Range` of a 416 (an asterisk instead of a range); `undefined` when it names none. */
export function unsatisfiedTotal(value: string | undefined): number | undefined {
  const total = /^bytes \*\/(\d+)$/u.exec(value?.trim() ?? '')?.[1];
  return total === undefined || !Number.isSafeInteger(Number(total)) ? undefined : Number(total);
}

/** A `Content-Length` as a number; `undefined` when it is missing or no plain number. */
export function declaredLength(headers: Readonly<Record<string, string>>): number | undefined {
  const text = headers['content-length'];
  return text !== undefined && /^\d{1,15}$/u.test(text) ? Number(text) : undefined;
}
