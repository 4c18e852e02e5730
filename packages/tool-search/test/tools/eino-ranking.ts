/** A tool as Eino's rules see it. */
export interface EinoTool {
  readonly name: string;
  readonly description: string;
}

/**
 * The ranking of CloudWeGo Eino's tool search, made anew from its published behaviour, for comparison: per keyword the
 * best of 10 (equals a part of the name), 5 (inside of a part), 3 (inside of the name), 2 (inside of the description).
 */
export function einoRanking(tools: readonly EinoTool[], query: string, limit: number): string[] {
  const keywords = query
    .split(/\s+/u)
    .map((word) => ({
      text: word.replace(/^\+/, '').toLowerCase(),
      required: word.startsWith('+'),
    }))
    .filter(({ text }) => text !== '');
  return tools
    .flatMap((tool) => {
      const scores = keywords.map(({ text }) => einoScore(tool, text));
      const isOut = keywords.some(({ required }, index) => required && scores[index] === 0);
      const score = scores.reduce((sum, each) => sum + each, 0);
      return isOut || score === 0 ? [] : [{ name: tool.name, score }];
    })
    .toSorted((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map(({ name }) => name);
}

function einoScore(tool: EinoTool, keyword: string): number {
  const parts = tool.name
    .split(/_+/)
    .flatMap((part) => part.split(/(?<=\p{Ll})(?=\p{Lu})|(?<=\P{Ll})(?=\p{Lu}\p{Ll})/u))
    .map((part) => part.toLowerCase());
  if (parts.includes(keyword)) return 10;
  if (parts.some((part) => part.includes(keyword))) return 5;
  if (tool.name.toLowerCase().includes(keyword)) return 3;
  return tool.description.toLowerCase().includes(keyword) ? 2 : 0;
}
