/** Longest delay taken over from a server, in milliseconds (one day); what is longer is reported as this. */
export const MAX_RETRY_AFTER_MS = 86_400_000;

/** The three date forms of RFC 9110, section 5.6.7: IMF-fixdate, RFC 850, asctime. Day names are not verified. */
const DATE_FORMS: readonly RegExp[] = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/u,
  /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/u,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/u,
];

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * Reads a `Retry-After` value (RFC 9110, section 10.2.3): seconds as digits, or an HTTP date relative to `nowMs`.
 *
 * Returns milliseconds, 0 for a date in the past, at most {@link MAX_RETRY_AFTER_MS}; `undefined` for anything malformed
 * (negative, fractional, exponent, an impossible date), so that a caller falls back to its own delay.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d+$/u.test(text)) {
    return Math.min(Number(text) * 1000, MAX_RETRY_AFTER_MS);
  }
  const date = parseHttpDate(text, nowMs);
  return date === undefined ? undefined : Math.min(Math.max(date - nowMs, 0), MAX_RETRY_AFTER_MS);
}

/** Reads an HTTP date in any of its three forms as milliseconds since the epoch; `undefined` when it is none. */
export function parseHttpDate(text: string, nowMs: number): number | undefined {
  for (const form of DATE_FORMS) {
    const groups = form.exec(text)?.groups;
    if (groups !== undefined) {
      return toTime(groups, nowMs);
    }
  }
  return undefined;
}

function toTime(groups: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const day = Number(groups['day']);
  const month = MONTHS.indexOf(groups['month'] ?? '');
  const [hour = 0, minute = 0, second = 0] = (groups['time'] ?? '').split(':').map(Number);
  const year = fullYear(groups['year'] ?? '', nowMs);
  const time = Date.UTC(year, month, day, hour, minute, second);
  const date = new Date(time);
  const isReal =
    month >= 0 && date.getUTCDate() === day && hour < 24 && minute < 60 && second <= 60;
  return isReal ? time : undefined;
}

/** RFC 9110: a two-digit year that looks more than 50 years ahead means the past century. */
function fullYear(text: string, nowMs: number): number {
  if (text.length === 4) {
    return Number(text);
  }
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = Math.floor(thisYear / 100) * 100 + Number(text);
  return year > thisYear + 50 ? year - 100 : year;
}
