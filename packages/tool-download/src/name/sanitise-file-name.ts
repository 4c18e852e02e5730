/** Bytes of UTF-8 in a sanitised name, below what file systems take (255) so that suffixes still fit. */
export const MAX_NAME_BYTES = 240;
/** An extension of this many bytes or more is not kept whole when a name is cut. */
const MAX_EXTENSION_BYTES = 120;
/** The name when nothing usable is left. */
export const DEFAULT_NAME = 'download.bin';

/** Control characters, lone surrogates, characters that Windows refuses, separators, and marks that turn the direction of text. */
const UNSAFE = /[\p{Cc}\p{Cs}<>:"/\\|?*\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFFFD]/gu;
/** Names of Windows devices, with superscript digits as Windows reads them. */
const DEVICE = /^(?:con|prn|aux|nul|com[1-9¹²³]|lpt[1-9¹²³])$/iu;

/**
 * Makes a name from a server usable as one file name, on every platform, without being able to leave a directory: only what
 * follows the last separator counts, unsafe characters become `_`, blanks and dots at the ends go, device names get a `_` in front,
 * and the whole is cut to {@link MAX_NAME_BYTES} with its extension kept.
 */
export function sanitiseFileName(name: string): string {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const clean = cutToBytes(trimName(base.replaceAll(UNSAFE, '_')));
  if (clean === '' || clean === '.' || clean === '..') {
    return DEFAULT_NAME;
  }
  const stem = clean.split('.')[0] ?? '';
  return DEVICE.test(stem.trim()) ? `_${clean}` : clean;
}

function trimName(name: string): string {
  return name.trim().replace(/[. ]+$/u, '');
}

function cutToBytes(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) {
    return name;
  }
  const dot = name.lastIndexOf('.');
  const candidate = dot > 0 ? name.slice(dot) : '';
  const extension = Buffer.byteLength(candidate) < MAX_EXTENSION_BYTES ? candidate : '';
  const room = MAX_NAME_BYTES - Buffer.byteLength(extension);
  return trimName(prefixOfBytes(name.slice(0, name.length - extension.length), room)) + extension;
}

function prefixOfBytes(text: string, maxBytes: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) {
      break;
    }
    end += character.length;
  }
  return text.slice(0, end);
}
