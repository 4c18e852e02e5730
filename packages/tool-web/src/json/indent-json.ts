/** Deeper documents stay as they are: each level indents every line below it. */
const MAX_DEPTH = 64;

/**
 * Indents a JSON text by two blanks a level. Only white space changes: numbers, escapes, the order and repetition of keys stay as
 * sent. `undefined` when the text is no JSON or is nested too deeply to be readable.
 */
export function indentJson(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const parts: string[] = [];
  let depth = 0;
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[^\s"{}[\],:]+|[{}[\],:]/gsu) ?? [];
  for (const [index, token] of tokens.entries()) {
    const isOpening = token === '{' || token === '[';
    const isClosing = token === '}' || token === ']';
    const isEmpty = isClosing && ['{', '['].includes(tokens[index - 1] ?? '');
    depth -= isClosing ? 1 : 0;
    parts.push(isClosing && !isEmpty ? newLine(depth) : '', token);
    depth += isOpening ? 1 : 0;
    if (depth > MAX_DEPTH) {
      return undefined;
    }
    const next = tokens[index + 1];
    if (token === ',' || (isOpening && next !== '}' && next !== ']')) {
      parts.push(newLine(depth));
    } else if (token === ':') {
      parts.push(' ');
    }
  }
  return parts.join('');
}

function newLine(depth: number): string {
  return `\n${'  '.repeat(depth)}`;
}
