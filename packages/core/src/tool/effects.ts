import { quoteWord } from '../policy/shell-words.ts';

/** The kinds of effect that policy, locks and guarded services know, in the order in which messages list them. */
export const effectKinds = ['read', 'write', 'exec', 'net', 'model', 'ask', 'unknown'] as const;

/** One of `effectKinds`. */
export type EffectKind = (typeof effectKinds)[number];

const knownKinds: ReadonlySet<string> = new Set(effectKinds);

/** Narrows a word to a kind of effect. */
export function isEffectKind(word: string): word is EffectKind {
  return knownKinds.has(word);
}

/**
 * One thing that a call will touch, declared before it happens. Targets carry no scheme:
 *
 * - `read`, `write`: a workspace path with `/` (`src/a.ts`), or a tree by `**` (`**`, `src/**`);
 * - `exec`: one simple command as it will run (`git status --short`);
 * - `net`: `host:port` (`api.example.com:443`, `[2001:db8::1]:443`), with the method where it matters;
 * - `model`: a model's name or role; `ask`: whom is asked; `unknown`: what could not be told.
 */
export interface Effect {
  readonly kind: EffectKind;
  readonly target: string;
  /** `net` only: the HTTP method, upper case. Absent means a read (GET or HEAD). */
  readonly method?: string;
}

/** What a tool that declares no effects is taken to do: anything; policy asks every time. */
export const unknownEffects: readonly Effect[] = Object.freeze([
  Object.freeze({ kind: 'unknown', target: '**' }),
]);

/**
 * The target of the `exec` effect for a program with its arguments, and with the variables that it is given in their order
 * (`A=1 make all`): what the kernel then lets a tool start.
 */
export function commandTarget(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return [...variables, file, ...args].map(quoteWord).join(' ');
}
