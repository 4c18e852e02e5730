/// <reference lib="es2024.string" />

/**
 * Text of a server as it may stand before a model: without control characters, zero-width and bidirectional marks,
 * which hide what a person would not see, and cut to a number of characters.
 */
export function toPlainText(text: string, maxChars: number): string {
  const clean = text
    .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g, '')
    .replaceAll(/[\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF]/g, '')
    .replaceAll(/[\u{E0000}-\u{E007F}]/gu, '')
    .toWellFormed();
  if (clean.length <= maxChars) return clean;
  const cut = clean.slice(0, maxChars - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}
