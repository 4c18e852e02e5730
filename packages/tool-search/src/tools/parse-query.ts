/** What a query of `tool_search` asks. */
export type ToolQuery =
  | { readonly kind: 'select'; readonly names: readonly string[] }
  | {
      readonly kind: 'keywords';
      readonly keywords: readonly { readonly text: string; readonly required: boolean }[];
    };

/**
 * Reads Eino's query grammar: `select:a,b` names tools; anything else is keywords, of which those with `+` are
 * required. One `+` is taken off: a second one belongs to the word, which then stands nowhere. Beyond Eino, `select:`
 * may be in any case.
 */
export function parseToolQuery(query: string): ToolQuery {
  const text = query.trim();
  const selection = /^select\s*:(.*)$/is.exec(text)?.[1];
  if (selection !== undefined) {
    const names = selection
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
    return { kind: 'select', names: [...new Set(names)] };
  }
  const keywords = text
    .split(/\s+/u)
    .map((word) => ({ text: word.replace(/^\+/, ''), required: word.startsWith('+') }))
    .filter((keyword) => keyword.text !== '');
  return { kind: 'keywords', keywords };
}
