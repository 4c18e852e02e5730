/// <reference lib="es2024.string" />

/** Replaces lone surrogates by U+FFFD, so that the text has one UTF-8 form; returns well-formed text as it is. */
export function toWellFormedText(text: string): string {
  return text.toWellFormed();
}
