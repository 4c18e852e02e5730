import type { ShellWord } from './shell-words.ts';

/** What a simple command really runs. */
export type Unwrapped =
  /** It is the command itself. */
  | { readonly kind: 'command' }
  /** It only runs another command. `also` says that it counts itself as well. */
  | {
      readonly kind: 'inner';
      readonly words: readonly ShellWord[];
      readonly assignments: readonly string[];
      readonly also: boolean;
    }
  /** It runs a text as a script: in this shell now, in this shell at some time, or in a shell of its own. */
  | {
      readonly kind: 'script';
      readonly source: string;
      readonly when: 'now' | 'later' | 'apart';
    }
  /** What it runs cannot be told. */
  | { readonly kind: 'unclear' };

const command: Unwrapped = { kind: 'command' };
const unclear: Unwrapped = { kind: 'unclear' };

/** Options of a wrapper: those that stand alone, and those that take a value. */
interface Options {
  readonly flags: RegExp;
  readonly valued: RegExp;
  /** Operands before the command. */
  readonly operands?: number;
  readonly also?: boolean;
}

const wrappers: Readonly<Record<string, Options>> = {
  builtin: { flags: /^--$/, valued: /^$/ },
  exec: { flags: /^-[cl]+$/, valued: /^-a$/ },
  nohup: { flags: /^--$/, valued: /^$/ },
  setsid: { flags: /^(-[cfw]+|--(ctty|fork|wait))$/, valued: /^$/ },
  // `-o` would write a file.
  time: { flags: /^-[pv]+$/, valued: /^-f$/ },
  nice: { flags: /^(-n?-?\d+|--adjustment=-?\d+)$/, valued: /^(-n|--adjustment)$/ },
  ionice: { flags: /^(-t|-c\d|-n\d)$/, valued: /^-[cn]$/ },
  timeout: {
    flags: /^(-v|--verbose|--preserve-status|--foreground|--(signal|kill-after)=\S+|-[sk]\S+)$/,
    valued: /^(-[sk]|--signal|--kill-after)$/,
    operands: 1,
  },
  stdbuf: { flags: /^(-[ioe]\S+|--(input|output|error)=\S+)$/, valued: /^-[ioe]$/ },
  xargs: {
    flags:
      /^(-[0rtpxo]+|--null|--no-run-if-empty|--verbose|--exit|--open-tty|-[ILnPsdE]\S+|--(max-args|max-procs|max-chars|max-lines|replace|delimiter|eof)=.*)$/,
    // `-a` would read a file.
    valued: /^(-[ILnPsdE]|--(max-args|max-procs|max-chars|delimiter))$/,
  },
  sudo: { flags: /^-[ABbEHKknPS]+$/, valued: /^-[CDghpRrTtUu]$/, also: true },
  doas: { flags: /^-[Lns]+$/, valued: /^-[Cau]$/, also: true },
};

/** Shells whose language is the one that is parsed here. */
const shells = new Set([
  'bash',
  'sh',
  'dash',
  '/bin/bash',
  '/bin/sh',
  '/bin/dash',
  '/usr/bin/bash',
  '/usr/bin/sh',
]);

/** Looks through commands that only run others: `env`, `timeout`, `xargs`, `bash -c`, `eval`, … */
export function unwrapCommand(words: readonly ShellWord[]): Unwrapped {
  const [first, ...rest] = words;
  const name = first?.value ?? null;
  if (name === null) return unclear;
  if (shells.has(name)) return unwrapShell(rest);
  switch (name) {
    case 'eval':
      return unwrapEval(rest);
    case 'trap':
      return unwrapTrap(rest);
    case 'env':
      return unwrapEnv(rest);
    case 'command':
      return unwrapCommandBuiltin(rest);
    case 'find':
      return unwrapFind(rest);
    case 'mapfile':
    case 'readarray':
      return rest.some(({ value }) => value === null || value.startsWith('-C')) ? unclear : command;
    // What these change is what later words mean.
    case 'alias':
    case 'hash':
    case 'enable':
      return rest.length === 0 ? command : unclear;
    default: {
      const options = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
      return options === undefined ? command : unwrapBy(options, rest, name === 'xargs');
    }
  }
}

function unwrapBy(options: Options, rest: readonly ShellWord[], appends: boolean): Unwrapped {
  let at = 0;
  for (; at < rest.length; at += 1) {
    const value = rest[at]?.value ?? null;
    if (value === null) return unclear;
    if (value === '--') {
      at += 1;
      break;
    }
    if (options.valued.test(value)) at += 1;
    else if (!options.flags.test(value)) {
      if (value.startsWith('-')) return unclear;
      break;
    }
  }
  const inner = rest.slice(at + (options.operands ?? 0));
  if (inner.length === 0) return command;
  return {
    kind: 'inner',
    words: appends ? [...inner, { text: '{}', value: null }] : inner,
    assignments: [],
    also: options.also ?? false,
  };
}

function unwrapShell(rest: readonly ShellWord[]): Unwrapped {
  for (const [index, { value }] of rest.entries()) {
    if (value === null) return command;
    if (/^-[a-z]*c[a-z]*$/.test(value)) {
      const script = rest
        .slice(index + 1)
        .find((word) => word.value === null || !/^[-+]/.test(word.value));
      const source = script?.value ?? null;
      return source === null ? unclear : { kind: 'script', source, when: 'apart' };
    }
    if (
      value === '-o' ||
      value === '-O' ||
      !/^(-[a-z]+|--(norc|noprofile|posix|login))$/.test(value)
    ) {
      return command;
    }
  }
  return command;
}

function unwrapEval(rest: readonly ShellWord[]): Unwrapped {
  const values = rest.map(({ value }) => value);
  const words = values.filter((value) => value !== null);
  if (words.length !== values.length) return unclear;
  const source = (words[0] === '--' ? words.slice(1) : words).join(' ');
  return { kind: 'script', source, when: 'now' };
}

function unwrapTrap(rest: readonly ShellWord[]): Unwrapped {
  const [action] = rest[0]?.value === '--' ? rest.slice(1) : rest;
  if (action === undefined) return command;
  if (action.value === null) return unclear;
  if (action.value === '' || action.value.startsWith('-') || rest.length === 1) return command;
  return { kind: 'script', source: action.value, when: 'later' };
}

function unwrapEnv(rest: readonly ShellWord[]): Unwrapped {
  const assignments: string[] = [];
  for (let at = 0; at < rest.length; at += 1) {
    const { text = '', value = null } = rest[at] ?? {};
    if (value === null && !/^[A-Za-z_]\w*=/.test(text)) return unclear;
    if (/^[A-Za-z_]\w*=/.test(value ?? text)) assignments.push(text);
    else if (value === '-i' || value === '-' || value === '--ignore-environment') continue;
    else if (value === '-u') at += 1;
    else if (value === '--') continue;
    else if (value?.startsWith('-') === true) return unclear;
    else return { kind: 'inner', words: rest.slice(at), assignments, also: false };
  }
  return command;
}

function unwrapCommandBuiltin(rest: readonly ShellWord[]): Unwrapped {
  const [first] = rest;
  if (first?.value === '-v' || first?.value === '-V') return command;
  const inner = first?.value === '-p' || first?.value === '--' ? rest.slice(1) : rest;
  if (inner.length === 0) return command;
  return { kind: 'inner', words: inner, assignments: [], also: false };
}

function unwrapFind(rest: readonly ShellWord[]): Unwrapped {
  const at = rest.findIndex(({ value }) => value !== null && /^-(exec|ok)(dir)?$/.test(value));
  if (at < 0) return command;
  const following = rest.slice(at + 1);
  const end = following.findIndex(({ value }) => value === ';' || value === '+');
  const more = following
    .slice(end + 1)
    .some(({ value }) => value === null || /^-(exec|ok)/.test(value));
  if (end <= 0 || more) return unclear;
  return { kind: 'inner', words: following.slice(0, end), assignments: [], also: true };
}
