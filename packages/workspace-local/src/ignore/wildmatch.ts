/**
 * The pattern language of `.gitignore` as git's own wildmatch has it: `*`, `?`, `[…]` with ranges and
 * POSIX classes, `\` escapes, and `**` where it stands alone between slashes. Text and pattern are byte
 * strings (one char a byte, see `toByteString`), because git compares bytes. Matching takes at most
 * pattern × text steps, whatever the pattern.
 */
export type Wildmatch = (text: string) => boolean;

/** Compiles a pattern with slashes, matched against a whole relative path. Undefined when git would never match it. */
export function compilePathPattern(pattern: string, foldCase: boolean): Wildmatch | undefined {
  const tokens = tokenize(pattern, foldCase);
  if (tokens === undefined) return undefined;
  const segments = splitSegments(tokens);
  return (text) => matchPath(segments, (foldCase ? lower(text) : text).split('/'));
}

/** Compiles a pattern without slashes, matched against a base name. Undefined when git would never match it. */
export function compileNamePattern(pattern: string, foldCase: boolean): Wildmatch | undefined {
  const tokens = tokenize(pattern, foldCase);
  if (tokens === undefined) return undefined;
  return (text) => matchSegment(tokens, foldCase ? lower(text) : text);
}

/** One char a UTF-8 byte, so that `?` and `[…]` see what git sees. */
export function toByteString(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) > 127) return false;
  return true;
}

type Token =
  | { readonly kind: 'byte'; readonly code: number }
  | { readonly kind: 'any' }
  | { readonly kind: 'star'; readonly count: number }
  | { readonly kind: 'set'; readonly members: Uint8Array };

function tokenize(pattern: string, foldCase: boolean): Token[] | undefined {
  const tokens: Token[] = [];
  const text = foldCase ? lower(pattern) : pattern;
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i];
    if (char === '\\') {
      i += 1;
      if (i >= text.length) return undefined;
      tokens.push({ kind: 'byte', code: text.charCodeAt(i) });
    } else if (char === '?') {
      tokens.push({ kind: 'any' });
    } else if (char === '*') {
      const from = i;
      while (text[i + 1] === '*') i += 1;
      tokens.push({ kind: 'star', count: i - from + 1 });
    } else if (char === '[') {
      const set = readSet(text, i + 1);
      if (set === undefined) return undefined;
      tokens.push({ kind: 'set', members: set.members });
      i = set.end;
    } else {
      tokens.push({ kind: 'byte', code: text.charCodeAt(i) });
    }
  }
  return tokens;
}

/** Reads a bracket expression that begins after `[`; `end` is the index of its `]`. */
function readSet(text: string, start: number): { members: Uint8Array; end: number } | undefined {
  const members = new Uint8Array(256);
  let i = start;
  const negated = text[i] === '!' || text[i] === '^';
  if (negated) i += 1;
  let previous = 0;
  for (let first = true; first || text[i] !== ']'; first = false, i += 1) {
    if (i >= text.length) return undefined;
    if (text[i] === '\\') {
      i += 1;
      if (i >= text.length) return undefined;
      previous = text.charCodeAt(i);
      members[previous] = 1;
    } else if (text[i] === '-' && previous !== 0 && i + 1 < text.length && text[i + 1] !== ']') {
      i += 1;
      if (text[i] === '\\') i += 1;
      if (i >= text.length) return undefined;
      for (let code = previous; code <= text.charCodeAt(i); code += 1) members[code] = 1;
      previous = 0;
    } else if (text[i] === '[' && text[i + 1] === ':') {
      const close = text.indexOf(']', i + 2);
      if (close < 0) return undefined;
      if (text[close - 1] === ':' && close - 1 >= i + 2) {
        const test = posixClasses.get(text.slice(i + 2, close - 1));
        if (test === undefined) return undefined;
        for (let code = 0; code < 256; code += 1) if (test(code)) members[code] = 1;
        i = close;
        previous = 0;
      } else {
        previous = text.charCodeAt(i);
        members[previous] = 1;
      }
    } else {
      previous = text.charCodeAt(i);
      members[previous] = 1;
    }
  }
  if (negated) for (let code = 0; code < 256; code += 1) members[code] = 1 - (members[code] ?? 0);
  members[slash] = 0;
  return { members, end: i };
}

const slash = 0x2f;
const between = (low: number, high: number) => (code: number) => code >= low && code <= high;
const isDigit = between(0x30, 0x39);
const isLower = between(0x61, 0x7a);
const isUpper = between(0x41, 0x5a);
const isGraph = between(0x21, 0x7e);
const isAlnum = (code: number) => isDigit(code) || isLower(code) || isUpper(code);
const posixClasses: ReadonlyMap<string, (code: number) => boolean> = new Map([
  ['alnum', isAlnum],
  ['alpha', (code) => isLower(code) || isUpper(code)],
  ['blank', (code) => code === 0x20 || code === 0x09],
  ['cntrl', (code) => code < 0x20 || code === 0x7f],
  ['digit', isDigit],
  ['graph', isGraph],
  ['lower', isLower],
  ['print', between(0x20, 0x7e)],
  ['punct', (code) => isGraph(code) && !isAlnum(code)],
  ['space', (code) => code === 0x20 || (code >= 0x09 && code <= 0x0d)],
  ['upper', isUpper],
  ['xdigit', (code) => isDigit(code) || between(0x41, 0x46)(code) || between(0x61, 0x66)(code)],
]);

/** ASCII only, as git folds. */
function lower(text: string): string {
  return text.replace(/[A-Z]+/g, (upper) => upper.toLowerCase());
}

const doubleStar = 'double star';
type Segment = readonly Token[] | typeof doubleStar;

/** Cuts tokens at slashes; a segment of two or more stars alone spans directories. */
function splitSegments(tokens: readonly Token[]): Segment[] {
  const segments: Segment[] = [];
  let current: Token[] = [];
  const flush = () => {
    const [only] = current;
    const spans = current.length === 1 && only?.kind === 'star' && only.count > 1;
    segments.push(spans ? doubleStar : current);
    current = [];
  };
  for (const token of tokens) {
    if (token.kind === 'byte' && token.code === slash) flush();
    else current.push(token);
  }
  flush();
  return segments;
}

function matchPath(segments: readonly Segment[], path: readonly string[]): boolean {
  let s = 0;
  let p = 0;
  let retrySegment = -1;
  let retryPath = 0;
  while (p < path.length) {
    const segment = segments[s];
    if (segment === doubleStar) {
      if (s === segments.length - 1) return true;
      s += 1;
      retrySegment = s;
      retryPath = p;
    } else if (segment !== undefined && matchSegment(segment, path[p] ?? '')) {
      s += 1;
      p += 1;
    } else if (retrySegment >= 0) {
      retryPath += 1;
      s = retrySegment;
      p = retryPath;
    } else {
      return false;
    }
  }
  return s === segments.length;
}

function matchSegment(tokens: readonly Token[], text: string): boolean {
  let t = 0;
  let i = 0;
  let retryToken = -1;
  let retryText = 0;
  while (i < text.length) {
    const token = tokens[t];
    if (token?.kind === 'star') {
      t += 1;
      retryToken = t;
      retryText = i;
    } else if (token !== undefined && matchesByte(token, text.charCodeAt(i))) {
      t += 1;
      i += 1;
    } else if (retryToken >= 0) {
      retryText += 1;
      t = retryToken;
      i = retryText;
    } else {
      return false;
    }
  }
  while (tokens[t]?.kind === 'star') t += 1;
  return t === tokens.length;
}

function matchesByte(token: Token, code: number): boolean {
  switch (token.kind) {
    case 'any':
      return true;
    case 'byte':
      return token.code === code;
    case 'set':
      return token.members[code] === 1;
    case 'star':
      return false;
  }
}
