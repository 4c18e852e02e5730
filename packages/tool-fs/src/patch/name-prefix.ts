/** Two names of one file, the prefixes of a diff removed where they are prefixes. */
export interface NamePair {
  readonly old: string;
  readonly new: string;
  /** Whether prefixes were removed. */
  readonly prefixed: boolean;
}

/** `a/` and `b/`, and those of `diff.mnemonicPrefix`. */
const gitPrefix = /^[abciow12]\//u;

/**
 * Removes the prefixes of a pair of names: both begin with a prefix of a diff, and the two differ (`a/x`
 * and `b/x`; reversed diffs have them the other way round). A folder that is really called `a` is on both
 * sides.
 *
 * @param mnemonic also take the other prefixes that git can be told to write
 */
export function stripPrefixes(old: string, created: string, mnemonic: boolean): NamePair {
  const prefix = mnemonic ? gitPrefix : /^[ab]\//u;
  const prefixed = prefix.test(old) && prefix.test(created) && old[0] !== created[0];
  return prefixed
    ? { old: old.slice(2), new: created.slice(2), prefixed }
    : { old, new: created, prefixed };
}
