/** One element of a parsed glob. */
export type GlobToken =
  | { readonly kind: 'literal'; readonly character: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  | {
      readonly kind: 'class';
      readonly negative: boolean;
      readonly members: readonly ClassMember[];
    };

type ClassMember = { readonly from: string; readonly to: string } | { readonly name: string };

/** POSIX classes inside brackets, ASCII as git reads them. */
const NAMED_CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /[A-Za-z0-9]/u,
  alpha: /[A-Za-z]/u,
  blank: /[ \t]/u,
  digit: /[0-9]/u,
  lower: /[a-z]/u,
  punct: /[!-/:-@[-`{-~]/u,
  space: /\s/u,
  upper: /[A-Z]/u,
  xdigit: /[0-9A-Fa-f]/u,
};

/**
 * Parses a glob: `*` any run, `?` one character, `[a-z]` and `[!a]` classes, `\` takes the next character as it is.
 * `undefined` if a bracket or an escape is left open: such a glob matches nothing, as in git.
 */
export function parseGlob(glob: string): readonly GlobToken[] | undefined {
  const tokens: GlobToken[] = [];
  const characters = Array.from(glob);
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? '';
    if (character === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' });
    } else if (character === '?') {
      tokens.push({ kind: 'any' });
    } else if (character === '[') {
      const parsed = parseClass(characters, at + 1);
      if (parsed === undefined) return undefined;
      tokens.push(parsed.token);
      at = parsed.end;
    } else if (character === '\\') {
      at += 1;
      const escaped = characters[at];
      if (escaped === undefined) return undefined;
      tokens.push({ kind: 'literal', character: escaped });
    } else {
      tokens.push({ kind: 'literal', character });
    }
  }
  return tokens;
}

function parseClass(
  characters: readonly string[],
  from: number,
): { readonly token: GlobToken; readonly end: number } | undefined {
  const negative = characters[from] === '!' || characters[from] === '^';
  const first = negative ? from + 1 : from;
  const members: ClassMember[] = [];
  for (let at = first; at < characters.length; at += 1) {
    let character = characters[at] ?? '';
    // A bracket directly after the opening is a member.
    if (character === ']' && at > first) {
      return { token: { kind: 'class', negative, members }, end: at };
    }
    if (character === '[' && characters[at + 1] === ':') {
      const end = characters.indexOf(':', at + 2);
      const name = characters.slice(at + 2, end).join('');
      if (end > 0 && characters[end + 1] === ']' && Object.hasOwn(NAMED_CLASSES, name)) {
        members.push({ name });
        at = end + 1;
        continue;
      }
    }
    if (character === '\\') {
      at += 1;
      character = characters[at] ?? '';
    }
    const isRange = characters[at + 1] === '-' && characters[at + 2] !== ']';
    if (isRange && characters[at + 2] !== undefined) {
      const isEscaped = characters[at + 2] === '\\';
      at += isEscaped ? 3 : 2;
      members.push({ from: character, to: characters[at] ?? '' });
    } else {
      members.push({ from: character, to: character });
    }
  }
  return undefined;
}

/** Whether a parsed glob matches the whole text, line breaks included; time grows with their product at most. */
export function matchGlob(tokens: readonly GlobToken[], text: string): boolean {
  const characters = Array.from(text);
  let token = 0;
  let at = 0;
  let star = -1;
  let retry = 0;
  while (at < characters.length) {
    const current = tokens[token];
    if (current?.kind === 'star') {
      star = token;
      retry = at;
      token += 1;
    } else if (current !== undefined && matchesOne(current, characters[at] ?? '')) {
      token += 1;
      at += 1;
    } else if (star >= 0) {
      // Lets the last star take one more; earlier ones never need to.
      token = star + 1;
      retry += 1;
      at = retry;
    } else {
      return false;
    }
  }
  return tokens.slice(token).every(({ kind }) => kind === 'star');
}

function matchesOne(token: GlobToken, character: string): boolean {
  switch (token.kind) {
    case 'any':
    case 'star':
      return true;
    case 'literal':
      return token.character === character;
    case 'class': {
      const isMember = token.members.some((member) =>
        'name' in member
          ? NAMED_CLASSES[member.name]?.test(character) === true
          : member.from <= character && character <= member.to,
      );
      return isMember !== token.negative;
    }
  }
}

/** How much of a glob is said exactly: its literal characters; `Infinity` if it has nothing else. */
export function globPrecision(tokens: readonly GlobToken[]): number {
  const literals = tokens.filter(({ kind }) => kind === 'literal').length;
  return literals === tokens.length ? Infinity : literals;
}

/** A glob that matches exactly this text. */
export function escapeGlob(text: string): string {
  return text.replaceAll(/[*?[\]\\]/gu, (character) => `\\${character}`);
}
