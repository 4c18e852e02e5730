/** One setting of a configuration file, its key as git prints it. */
export interface GitSetting {
  readonly key: string;
  /** Null for a key without a value. */
  readonly value: string | null;
}

/**
 * Settings that are switched off for every repository: hooks, the file system monitor, signing (whose program
 * and passphrase prompt the repository can name), background maintenance, recursion into submodules, bare
 * repositories that lie in the tree, editors and pagers.
 */
export const fixedSettings: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.editor=true',
  'core.pager=cat',
  'core.askPass=',
  'core.quotePath=false',
  'color.ui=false',
  'commit.gpgSign=false',
  'tag.gpgSign=false',
  'log.showSignature=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'safe.bareRepository=explicit',
  // Submodules are looked into only after their own settings have been read.
  'diff.ignoreSubmodules=dirty',
];

/** Values that make a setting run nothing, by the shape of its key. */
const harmless: readonly { readonly key: RegExp; readonly value: string }[] = [
  { key: /^filter\..+\.(clean|smudge|process)$/is, value: '' },
  { key: /^filter\..+\.required$/is, value: 'false' },
  { key: /^merge\..+\.driver$/is, value: 'false' },
  { key: /^gpg\.(.+\.)?(program|defaultkeycommand)$/is, value: 'false' },
  { key: /^core\.(sshcommand|gitproxy|alternaterefscommand)$/i, value: 'false' },
  { key: /^credential\.(.+\.)?helper$/is, value: '' },
  { key: /^hook\..+\.command$/is, value: 'true' },
  { key: /^(sequence\.editor|interactive\.difffilter)$/i, value: 'true' },
  { key: /^trailer\..+\.(command|cmd)$/is, value: 'true' },
  { key: /^submodule\..+\.update$/is, value: 'none' },
];

/**
 * What overrides the programs that a repository's own configuration names, as `key=value`. External diffs
 * and textconv are not among them: they go by options (an empty `diff.external` would be run as a
 * program). Null when a key cannot be overridden, because it holds a `=`.
 */
export function overrideSettings(settings: readonly GitSetting[]): readonly string[] | null {
  const overrides = new Set<string>();
  for (const { key, value } of settings) {
    const rule = harmless.find((entry) => entry.key.test(key));
    if (rule === undefined || value === rule.value) continue;
    if (key.includes('=')) return null;
    overrides.add(`${key}=${rule.value}`);
  }
  return [...overrides];
}

/** Whether a configuration reads further files, which may change without it. */
export function includesFiles(settings: readonly GitSetting[]): boolean {
  return settings.some(({ key }) => /^include(if\..*)?\.path$/is.test(key));
}

/** Parses `git config --list -z`: keys and values separated by a line feed, entries by NUL. */
export function parseSettings(output: string): readonly GitSetting[] {
  return output
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const end = entry.indexOf('\n');
      return end < 0
        ? { key: entry, value: null }
        : { key: entry.slice(0, end), value: entry.slice(end + 1) };
    });
}

/** The arguments with options that keep a command from running programs for diffs. */
export function withoutDiffPrograms(args: readonly string[]): readonly string[] {
  const [command, ...rest] = args;
  switch (command) {
    case 'diff':
    case 'log':
    case 'show':
    case 'diff-tree':
    case 'diff-index':
    case 'diff-files':
      return [command, '--no-ext-diff', '--no-textconv', ...rest];
    case 'blame':
      return [command, '--no-textconv', ...rest];
    default:
      return args;
  }
}
