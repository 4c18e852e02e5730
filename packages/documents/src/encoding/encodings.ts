/**
 * The encodings that are read and written, by WHATWG name (https://encoding.spec.whatwg.org/#names-and-labels).
 * `windows-1252` stands for Latin-1 too, as it does there.
 */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'gb18030',
  'gbk',
  'big5',
  'shift_jis',
  'euc-jp',
  'euc-kr',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-1258',
  'windows-874',
  'iso-8859-2',
  'iso-8859-3',
  'iso-8859-4',
  'iso-8859-5',
  'iso-8859-6',
  'iso-8859-7',
  'iso-8859-8',
  'iso-8859-10',
  'iso-8859-13',
  'iso-8859-14',
  'iso-8859-15',
  'iso-8859-16',
  'koi8-r',
  'koi8-u',
  'ibm866',
  'macintosh',
] as const;

/** One of `ENCODINGS`. */
export type Encoding = (typeof ENCODINGS)[number];

const KNOWN: ReadonlySet<string> = new Set(ENCODINGS);

/** Whether a string is the exact name of an encoding that is read and written here. */
export function isEncoding(name: string): name is Encoding {
  return KNOWN.has(name);
}

/**
 * The encoding that a label (`latin1`, `GB2312`, `sjis`, …) stands for by the WHATWG table, or `undefined` for an
 * unknown one and for those that are not read here (ISO-2022-JP, UTF-32).
 */
export function toEncoding(label: string): Encoding | undefined {
  let name: string;
  try {
    name = new TextDecoder(label.trim()).encoding.toLowerCase();
  } catch {
    return undefined;
  }
  return isEncoding(name) ? name : undefined;
}

/** Whether each character takes two-byte units, so that a newline is no single byte 0x0A. */
export function isUtf16(encoding: Encoding): encoding is 'utf-16le' | 'utf-16be' {
  return encoding === 'utf-16le' || encoding === 'utf-16be';
}
