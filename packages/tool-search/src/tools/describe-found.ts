import type { CatalogEntry, JsonObject } from '@toolwright/core';
import { parameterNames } from './tool-index.ts';

const maxDescription = 300;

/** What a result says of one tool: enough to choose it, and with its schema enough to call it. */
export function describeFound(
  entry: CatalogEntry,
  found: { readonly score: number; readonly loaded: boolean; readonly withSchema: boolean },
): JsonObject {
  return {
    name: entry.name,
    description: oneLine(entry.description, maxDescription),
    parameters: parameterNames(entry.parameters),
    // A catalogue's schemas are JSON.
    ...(found.withSchema ? { schema: entry.parameters } : {}),
    score: Math.round(found.score * 100) / 100,
    loaded: found.loaded,
    ...(entry.untrusted ? { untrusted: true } : {}),
  };
}

/** A description without line breaks, controls and invisible characters, cut at a length. */
export function oneLine(text: string, maxLength: number): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  if (plain.length <= maxLength) return plain;
  return `${Array.from(plain).slice(0, maxLength).join('')}…`;
}

/** JSON in which no `<`, `>` or `&` stands as such: nothing in it can open or close a tag of a prompt. */
export function tagSafeJson(value: JsonObject): string {
  return JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
