import { isUtf16, toEncoding } from './encodings.ts';
import type { Encoding } from './encodings.ts';

/** How far into a file a declaration is looked for, in bytes (the HTML Standard's prescan reads as many). */
export const DECLARATION_SCAN_BYTES = 1024;

const DECLARATIONS: readonly RegExp[] = [
  // XML: <?xml version="1.0" encoding="gbk"?>
  /^\s*<\?xml\s[^>]{0,200}?\bencoding\s*=\s*["']([\w.:-]{1,40})["']/i,
  // CSS: @charset "shift_jis";
  /^@charset "([\w.:-]{1,40})";/i,
  // HTML: <meta charset=euc-kr> and <meta http-equiv=… content="text/html; charset=euc-kr">
  /<meta\b[^>]{0,200}?\bcharset\s*=\s*["']?\s*([\w.:-]{1,40})/i,
  // PEP 263, Emacs and Vim: # -*- coding: euc-jp -*-, vim: set fileencoding=cp1251
  /^(?:[^\n]{0,200}\n)?[^\n]{0,200}?coding[:=][ \t]*([\w.-]{1,40})/,
];

/** Spellings that editors and PEP 263 use and the WHATWG table does not have. */
const ALIASES: Readonly<Record<string, string>> = {
  cp936: 'gbk',
  cp932: 'shift_jis',
  cp949: 'euc-kr',
  cp950: 'big5',
  cp1250: 'windows-1250',
  cp1251: 'windows-1251',
  cp1252: 'windows-1252',
  latin_1: 'latin1',
  euc_jp: 'euc-jp',
  euc_kr: 'euc-kr',
  utf_8: 'utf-8',
};

/**
 * The encoding that a text declares about itself in its first lines (XML, HTML, CSS, PEP 263, Emacs, Vim), or
 * `undefined`. A declaration of UTF-16 that is itself readable as ASCII is wrong and is ignored.
 */
export function declaredEncoding(bytes: Uint8Array): Encoding | undefined {
  const head = Buffer.from(bytes.subarray(0, DECLARATION_SCAN_BYTES)).toString('latin1');
  for (const pattern of DECLARATIONS) {
    const label = pattern.exec(head)?.[1]?.toLowerCase();
    if (label === undefined) continue;
    const encoding = toEncoding(ALIASES[label] ?? label);
    if (encoding !== undefined && !isUtf16(encoding)) return encoding;
  }
  return undefined;
}
