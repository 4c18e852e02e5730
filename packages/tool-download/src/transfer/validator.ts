type Headers = Readonly<Record<string, string>>;

/** A strong entity tag: no weakness prefix, quoted, no quotes or control characters inside (RFC 9110, section 8.8.3). */
const STRONG_TAG = /^"[\u0021\u0023-\u007e\u0080-\u00ff]*"$/u;
/** Milliseconds by which the answer must be younger than the file for its date to tell versions apart. */
const MIN_AGE_MS = 1000;

/**
 * The value for `If-Range` that a response offers: a strong entity tag, else a `Last-Modified` date that is strong
 * (RFC 9110, section 8.8.2.2: the answer was dated at least a second later). Weak tags are none. `undefined` means that
 * parts of two answers must not be put together.
 */
export function strongValidator(headers: Headers): string | undefined {
  const tag = headers['etag'];
  if (tag !== undefined && STRONG_TAG.test(tag)) {
    return tag;
  }
  const modified = headers['last-modified'];
  const age = Date.parse(headers['date'] ?? '') - Date.parse(modified ?? '');
  return age >= MIN_AGE_MS ? modified : undefined;
}

/** Whether a response says of itself that it belongs to another version than the one with this validator. */
export function namesOtherVersion(headers: Headers, validator: string): boolean {
  const own = validator.startsWith('"') ? headers['etag'] : headers['last-modified'];
  return own !== undefined && own !== validator;
}
