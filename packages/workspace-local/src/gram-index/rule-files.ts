import { statSync } from 'node:fs';
import { readText } from '../ignore/repository.ts';

/** The files outside of a watched tree that its ignore rules were made from, as they were. */
export class RuleFiles {
  readonly #contents: readonly (readonly [path: string, content: string | undefined])[];

  constructor(paths: Iterable<string>) {
    this.#contents = [...paths].map((path) => [path, contentOf(path)]);
  }

  /** Whether one of them reads differently now, has come or is gone. They are few and small. */
  hasChanged(): boolean {
    return this.#contents.some(([path, content]) => contentOf(path) !== content);
  }
}

function contentOf(path: string): string | undefined {
  // A repository's own directory changes with every command; that it is there is what counts.
  return isDirectory(path) ? '/' : readText(path);
}

/** False too where it may not be looked at, as in the home of another user. */
function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
