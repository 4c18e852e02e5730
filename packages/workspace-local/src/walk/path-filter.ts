import { GlobMatcher, namesHidden } from '../glob/glob-matcher.ts';

/** Which paths a walk or a scan wants, by globs relative to where it begins. */
export interface PathFilterOptions {
  readonly include?: string | undefined;
  readonly exclude?: string | undefined;
  readonly hidden: boolean;
}

/** Judges workspace paths below a starting directory by an include and an exclude glob. */
export class PathFilter {
  /** Whether entries with a leading dot must be looked at: wanted as such, or named by the glob. */
  readonly hidden: boolean;
  readonly #skip: number;
  readonly #include: GlobMatcher | undefined;
  readonly #exclude: GlobMatcher | undefined;

  /** `start` is a workspace path; `''` is the root. Errors: `GlobError`. */
  constructor(start: string, options: PathFilterOptions) {
    const { include, exclude, hidden } = options;
    this.#skip = start === '' ? 0 : start.length + 1;
    this.#include = include === undefined ? undefined : new GlobMatcher(include, { dot: hidden });
    this.#exclude = exclude === undefined ? undefined : new GlobMatcher(exclude, { dot: true });
    this.hidden = hidden || (include !== undefined && namesHidden(include));
  }

  /** Whether an entry is wanted: `text`, or the path from one place in it to another. */
  wants(text: string, from = 0, to = text.length): boolean {
    const start = from + this.#skip;
    return (
      (this.#include?.matches(text, start, to) ?? true) &&
      !(this.#exclude?.matches(text, start, to) ?? false)
    );
  }

  /** Whether wanted entries may lie below a directory. */
  mayEnter(path: string): boolean {
    return this.#include?.mayMatchBelow(path.slice(this.#skip)) ?? true;
  }
}
