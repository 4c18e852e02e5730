import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { readText, type Repository } from './repository.ts';

/** What git's configuration says about ignoring. */
export interface IgnoreConfig {
  /** Absolute path of the user's own ignore file; it need not exist. */
  readonly excludesFile: string | undefined;
  /** Names compare without case (`core.ignoreCase`, which git sets where the disk folds case). */
  readonly foldCase: boolean;
  /** Absolute paths of the files that said so, whether they exist or not. */
  readonly places: readonly string[];
}

/** Where the user's configuration is looked for. */
export interface ConfigEnvironment {
  readonly home: string;
  readonly xdgConfigHome: string | undefined;
}

/** The configuration places of this process, read when asked for. */
export function configEnvironment(): ConfigEnvironment {
  return {
    home: process.env['HOME'] ?? homedir(),
    xdgConfigHome: process.env['XDG_CONFIG_HOME'],
  };
}

/**
 * Reads `core.excludesFile` and `core.ignoreCase` from the user's and the repository's configuration; the
 * later place wins. `include.path` is not followed. Default of the first, as git has it:
 * `$XDG_CONFIG_HOME/git/ignore`.
 */
export function readIgnoreConfig(
  repository: Repository | undefined,
  environment: ConfigEnvironment,
): IgnoreConfig {
  const xdg = environment.xdgConfigHome || join(environment.home, '.config');
  const places = [join(xdg, 'git', 'config'), join(environment.home, '.gitconfig')];
  if (repository !== undefined) places.push(join(repository.commonDirectory, 'config'));
  let excludesFile: string | undefined = join(xdg, 'git', 'ignore');
  let foldCase = false;
  for (const place of places) {
    for (const [key, value] of coreEntries(readText(place) ?? '')) {
      if (key === 'excludesfile') excludesFile = expandHome(value, environment.home);
      if (key === 'ignorecase') foldCase = /^(true|yes|on|1|)$/i.test(value);
    }
  }
  return { excludesFile, foldCase, places };
}

/** The entries of the `[core]` sections, keys in lower case. A key without `=` is true. */
function* coreEntries(text: string): Generator<[key: string, value: string]> {
  let inCore = false;
  for (const raw of text.split(/\r?\n/)) {
    const section = /^\s*\[\s*([A-Za-z0-9.-]+)\s*(?:"(?:[^"\\]|\\.)*"\s*)?\]\s*(.*)$/.exec(raw);
    if (section !== null) inCore = section[1]?.toLowerCase() === 'core' && !raw.includes('"');
    const line = section === null ? raw : (section[2] ?? '');
    const entry = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/.exec(line);
    if (inCore && entry?.[1] !== undefined) {
      yield [entry[1].toLowerCase(), configValue(entry[2] ?? '')];
    }
  }
}

/** Takes quotes, escapes and trailing comments out of a value. */
function configValue(raw: string): string {
  let value = '';
  let quoted = false;
  for (let i = 0; i < raw.length; i += 1) {
    const char = raw[i] ?? '';
    if (char === '"') quoted = !quoted;
    else if (char === '\\') {
      i += 1;
      value += raw[i] ?? '';
    } else if (!quoted && (char === '#' || char === ';')) break;
    else value += char;
  }
  return value.trim();
}

function expandHome(path: string, home: string): string | undefined {
  if (path === '') return undefined;
  return path.startsWith('~/') ? join(home, path.slice(2)) : resolve(home, path);
}
