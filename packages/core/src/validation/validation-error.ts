/** One mistake in the arguments of a call. */
export interface ValidationError {
  /** JSON pointer (RFC 6901) to the value that is wrong; `""` is the arguments as a whole. */
  readonly path: string;
  /** The keyword of the schema that decided, or `too_deep`, `too_large`, `not_json`, `too_complex`. */
  readonly keyword: string;
  /** What is allowed there and what was found, without the path. Never the text of a string. */
  readonly message: string;
}

/** Errors reported for one call. */
export const MAX_VALIDATION_ERRORS = 8;
/** UTF-8 bytes of one {@link formatValidationErrors} text. */
export const MAX_VALIDATION_MESSAGE_BYTES = 4_096;

/**
 * One text for all errors: `/limit: must be …; /path: …`, with a suffix when more than eight were found, cut to
 * 4 KiB of UTF-8 without splitting a character.
 *
 * @param omitted how many further errors were not kept.
 */
export function formatValidationErrors(errors: readonly ValidationError[], omitted = 0): string {
  const shown = errors.slice(0, MAX_VALIDATION_ERRORS);
  const more = errors.length - shown.length + omitted;
  const parts = shown.map(({ path, message }) => `${path === '' ? 'arguments' : path}: ${message}`);
  const suffix = more > 0 ? ` (${more} more omitted)` : '';
  return cut(parts.join('; '), MAX_VALIDATION_MESSAGE_BYTES - suffix.length) + suffix;
}

/** A short quotation of a name in a message: control characters escaped, cut after 64 characters. */
export function quoteName(name: string): string {
  const characters = Array.from(name.slice(0, 160));
  const short = characters.length > 64 ? `${characters.slice(0, 64).join('')}…` : name;
  return JSON.stringify(short);
}

function cut(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes - 3;
  // Steps back over continuation bytes so that no character is split.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${new TextDecoder().decode(bytes.subarray(0, end))}…`;
}
