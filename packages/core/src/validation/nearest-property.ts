import { nearestName, simplifyName } from './nearest-name.ts';

/** A name that is allowed where an unknown one stood. */
export interface AllowedProperty {
  readonly name: string;
  /** It was not given, and its schema takes the value that stood under the unknown name. */
  readonly fits: boolean;
  /** It is required and was not given. */
  readonly missing: boolean;
}

/**
 * The allowed name that an unknown one most likely meant; there is always one where any is allowed. Names that could
 * take the value come first: one that the unknown name shortens (`cmd`), a misspelt one, one that contains it or that it
 * contains (`path`, `file_path`). Then a misspelt one whatever its type, then the one that shares the most letters in
 * order: of those that are required and missing, where one of them could take the value (`patch` for `diff`).
 */
export function nearestProperty(
  unknown: string,
  allowed: readonly AllowedProperty[],
): string | undefined {
  const all = allowed.map(({ name }) => name);
  const fitting = allowed.filter(({ fits }) => fits).map(({ name }) => name);
  const plain = simplifyName(unknown.slice(0, maxComparedLength));
  return (
    all.find((name) => simplifyName(name) === plain) ??
    shortened(plain, fitting) ??
    nearestName(unknown, fitting) ??
    containing(plain, fitting) ??
    nearestName(unknown, all) ??
    containing(plain, all) ??
    best(likeliest(allowed), (name) => sharedPart(plain, simplifyName(name)))
  );
}

/** Names that a name like none of them may have meant. */
function likeliest(allowed: readonly AllowedProperty[]): readonly string[] {
  const fitting = allowed.filter(({ fits }) => fits);
  const missing = fitting.filter((property) => property.missing);
  const some = missing.length > 0 ? missing : fitting;
  return (some.length > 0 ? some : allowed).map(({ name }) => name);
}

/** Characters of an unknown name that are compared. */
const maxComparedLength = 64;

function shortened(plain: string, names: readonly string[]): string | undefined {
  if (plain.length < 2) return undefined;
  const longer = names.filter((name) => {
    const other = simplifyName(name);
    return other.startsWith(plain.charAt(0)) && sharedLetters(plain, other) === plain.length;
  });
  return best(longer, (name) => -name.length);
}

function containing(plain: string, names: readonly string[]): string | undefined {
  if (plain.length < 3) return undefined;
  const related = names.filter((name) => {
    const other = simplifyName(name);
    return other.length >= 3 && (other.includes(plain) || plain.includes(other));
  });
  return best(related, (name) => -Math.abs(name.length - plain.length));
}

function sharedPart(left: string, right: string): number {
  return sharedLetters(left, right) / (left.length + right.length + 1);
}

/** Length of the longest common subsequence. */
function sharedLetters(left: string, right: string): number {
  let last = Array.from({ length: right.length + 1 }, () => 0);
  for (const letter of left) {
    const current = [0];
    for (let column = 1; column <= right.length; column += 1) {
      const kept = Math.max(last[column] ?? 0, current[column - 1] ?? 0);
      const taken = letter === right[column - 1] ? (last[column - 1] ?? 0) + 1 : 0;
      current.push(Math.max(kept, taken));
    }
    last = current;
  }
  return last[right.length] ?? 0;
}

/** The name with the highest score; the first of equals. */
function best(names: readonly string[], score: (name: string) => number): string | undefined {
  let found: string | undefined;
  let highest = -Infinity;
  for (const name of names) {
    const value = score(name);
    if (value <= highest) continue;
    highest = value;
    found = name;
  }
  return found;
}
