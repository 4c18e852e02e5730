import {
  compileNamePattern,
  compilePathPattern,
  toByteString,
  type Wildmatch,
} from './wildmatch.ts';

/** What an ignore file says of a path: nothing, to ignore it, or to keep it (a negated rule). */
export type IgnoreVerdict = 'none' | 'ignored' | 'kept';

/** An entry to judge. */
export interface IgnoreCandidate {
  readonly name: string;
  /** Absolute path of its directory, with `/`. */
  readonly directory: string;
  readonly isDirectory: boolean;
}

interface Rule {
  readonly negated: boolean;
  readonly directoriesOnly: boolean;
}

interface PatternRule {
  readonly order: number;
  readonly directoriesOnly: boolean;
  readonly whole: boolean;
  readonly suffix: string | undefined;
  readonly match: Wildmatch | undefined;
}

/** Options of {@link parseIgnoreFile}. */
export interface IgnoreFileOptions {
  /** Compare ASCII letters without case, as git does under `core.ignoreCase`. Default false. */
  readonly foldCase?: boolean;
}

/**
 * The rules of one ignore file, compiled: names without wildcards cost one look-up however many there
 * are; of the rest only those after the best match so far are tried. The last rule that matches decides.
 */
export class IgnoreFile {
  readonly #rules: Rule[] = [];
  readonly #names = new Map<string, number>();
  readonly #directoryNames = new Map<string, number>();
  readonly #paths = new Map<string, number>();
  readonly #directoryPaths = new Map<string, number>();
  readonly #patterns: PatternRule[] = [];
  #needsPath = false;
  readonly #foldCase: boolean;

  constructor(text: string, options: IgnoreFileOptions = {}) {
    this.#foldCase = options.foldCase ?? false;
    for (const line of ruleLines(text)) this.#add(line);
  }

  get isEmpty(): boolean {
    return this.#rules.length === 0;
  }

  /**
   * Judges one entry by its name and the path of its directory, of which the first `prefixLength` chars lie
   * above the ignore file's own directory. Parents are not looked at: a walk that does not enter ignored
   * directories needs nothing else.
   */
  judge(entry: IgnoreCandidate, prefixLength: number): IgnoreVerdict {
    const { name, directory, isDirectory } = entry;
    const key = this.#foldCase ? foldAscii(name) : name;
    let best = this.#names.get(key) ?? -1;
    if (isDirectory) best = Math.max(best, this.#directoryNames.get(key) ?? -1);
    let path = '';
    if (this.#needsPath) {
      path = directory.length < prefixLength ? name : `${directory.slice(prefixLength)}/${name}`;
      const whole = this.#foldCase ? foldAscii(path) : path;
      best = Math.max(best, this.#paths.get(whole) ?? -1);
      if (isDirectory) best = Math.max(best, this.#directoryPaths.get(whole) ?? -1);
    }
    for (let i = this.#patterns.length - 1; i >= 0; i -= 1) {
      const rule = this.#patterns[i];
      if (rule === undefined || rule.order < best) break;
      if (rule.directoriesOnly && !isDirectory) continue;
      const matches =
        rule.suffix === undefined
          ? rule.match?.(toByteString(rule.whole ? path : name))
          : key.endsWith(rule.suffix);
      if (matches === true) {
        best = rule.order;
        break;
      }
    }
    const rule = this.#rules[best];
    if (rule === undefined) return 'none';
    return rule.negated ? 'kept' : 'ignored';
  }

  #add(line: string): void {
    const negated = line.startsWith('!');
    let pattern = negated ? line.slice(1) : line;
    const directoriesOnly = pattern.endsWith('/');
    if (directoriesOnly) pattern = pattern.slice(0, -1);
    const whole = pattern.includes('/');
    if (pattern.startsWith('/')) pattern = pattern.slice(1);
    if (pattern === '') return;
    const order = this.#rules.length;
    if (whole) this.#needsPath = true;
    this.#rules.push({ negated, directoriesOnly });
    const folded = this.#foldCase ? foldAscii(pattern) : pattern;
    if (!wildcard.test(pattern)) {
      if (whole) (directoriesOnly ? this.#directoryPaths : this.#paths).set(folded, order);
      else (directoriesOnly ? this.#directoryNames : this.#names).set(folded, order);
      return;
    }
    const suffix = !whole && /^\*[^*?[\\]+$/.test(folded) ? folded.slice(1) : undefined;
    const compile = whole ? compilePathPattern : compileNamePattern;
    this.#patterns.push({
      order,
      directoriesOnly,
      whole,
      suffix,
      match: suffix === undefined ? compile(toByteString(pattern), this.#foldCase) : undefined,
    });
  }
}

/** Parses an ignore file's text; undefined when it holds no rule. A line that git cannot read voids itself alone. */
export function parseIgnoreFile(
  text: string,
  options: IgnoreFileOptions = {},
): IgnoreFile | undefined {
  const file = new IgnoreFile(text, options);
  return file.isEmpty ? undefined : file;
}

const wildcard = /[*?[\\]/;

function* ruleLines(text: string): Generator<string> {
  const lines = (text.startsWith('\uFEFF') ? text.slice(1) : text).split('\n');
  for (const raw of lines) {
    // git takes the CR off together with the LF, and treats the last line as if it had one.
    const line = trimUnescapedBlanks(raw.endsWith('\r') ? raw.slice(0, -1) : raw);
    if (line !== '' && !line.startsWith('#')) yield line;
  }
}

/** Trailing blanks go, unless a backslash stands before them. */
function trimUnescapedBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ') end -= 1;
  if (end === line.length) return line;
  let backslashes = 0;
  while (end - 1 - backslashes >= 0 && line[end - 1 - backslashes] === '\\') backslashes += 1;
  return line.slice(0, backslashes % 2 === 1 ? end + 1 : end);
}

function foldAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (upper) => upper.toLowerCase());
}
