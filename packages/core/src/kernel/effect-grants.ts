import { ToolError } from '../errors/tool-error.ts';
import type { JsonValue } from '../json/json.ts';
import { quoteWord, shellWords } from '../policy/shell-words.ts';
import { commandTarget, type Effect } from '../tool/effects.ts';
import type { SpawnRequest } from '../workspace/processes.ts';
import type { PathFolding } from '../workspace/workspace.ts';
import { covers, foldPath, toFileTarget, type LockTarget } from './lock-target.ts';

/** The effects that one call may have: those it declared, and those admitted while it ran. */
export class EffectGrants {
  readonly #tool: string;
  readonly #folding: PathFolding;
  readonly #readOnly: boolean;
  readonly #orchestrator: boolean;
  readonly #args: JsonValue;
  readonly #onRefused: (message: string) => void;
  readonly #effects: Effect[] = [];
  readonly #targets: LockTarget[] = [];
  #everything = false;

  constructor(
    tool: string,
    options: {
      readonly folding: PathFolding;
      readonly readOnly: boolean;
      /** Holds no lock, so it changes files only through the tools that it calls. */
      readonly orchestrator: boolean;
      readonly effects: readonly Effect[];
      /** The final arguments of the call. */
      readonly args: JsonValue;
      /** Told of every refusal: a tool may keep quiet about it. */
      readonly onRefused: (message: string) => void;
    },
  ) {
    this.#tool = tool;
    this.#folding = options.folding;
    this.#readOnly = options.readOnly;
    this.#orchestrator = options.orchestrator;
    this.#args = options.args;
    this.#onRefused = options.onRefused;
    for (const effect of options.effects) this.add(effect);
  }

  add(effect: Effect): void {
    if (effect.kind === 'unknown') this.#everything = true;
    this.#effects.push(effect);
    const target = toFileTarget(effect, this.#folding);
    if (target !== undefined) this.#targets.push(target);
  }

  /** Whether an effect is already among them. */
  has(effect: Effect): boolean {
    if (effect.kind === 'read' || effect.kind === 'write') {
      return this.#coversPath(effect.kind, effect.target);
    }
    return (
      this.#everything ||
      this.#effects.some(
        ({ kind, target, method }) =>
          kind === effect.kind && target === effect.target && method === effect.method,
      )
    );
  }

  /** Throws `effect_violation` unless reading this real path was declared. */
  assertRead(realPath: string): void {
    if (!this.#coversPath('read', realPath)) throw this.#violation(`read ${shown(realPath)}`);
  }

  /** Throws `effect_violation` unless reading the whole tree below this real path was declared. */
  assertReadTree(realPath: string): void {
    const path = foldPath(realPath, this.#folding);
    if (!this.#targets.some((target) => target.tree && covers(target, path))) {
      throw this.#violation(`read everything below ${shown(realPath)}`);
    }
  }

  /** Throws `effect_violation` unless writing this real path was declared, by a call that is not read-only. */
  assertWrite(realPath: string): void {
    this.assertNotReadOnly(`write ${shown(realPath)}`);
    if (!this.#coversPath('write', realPath)) throw this.#violation(`write ${shown(realPath)}`);
  }

  /** Throws `effect_violation` for a call that declared itself read-only, and for orchestrators. */
  assertNotReadOnly(act: string): void {
    if (this.#orchestrator) {
      throw this.#refusal(
        'orchestrator',
        `${this.#tool} is an orchestrator and tried to ${act}; it must call a tool that does.`,
      );
    }
    if (!this.#readOnly) return;
    throw this.#refusal(
      'read_only',
      `${this.#tool} declared this call read-only and then tried to ${act}; nothing was written.`,
    );
  }

  /**
   * Throws `effect_violation` unless this command was declared: a program with exactly its arguments and variables, which may
   * make another program of it (`PATH`, `LD_PRELOAD`). A line for the shell is declared word for word, or it stands among the
   * call's arguments, where policy, hooks and people were shown it, beside the commands that its parser found in it. What
   * takes away the sandbox or its network lets a command do anything, and must be declared as that.
   */
  assertExec({ command, env = {}, sandbox, network = false }: SpawnRequest): void {
    if (this.#everything) return;
    if (sandbox === 'unconfined') throw this.#violation('run a command outside the sandbox');
    if (network) throw this.#violation('give a command the network');
    const commands = this.#effects.filter(({ kind }) => kind === 'exec');
    if (command.kind === 'program') {
      if (commands.some(runs(command, env))) return;
      throw this.#violation(`run ${commandTarget(command.file, command.args, env).slice(0, 200)}`);
    }
    const { line } = command;
    const variables = assignments(env).map(quoteWord);
    const whole = [...variables, line].join(' ');
    if (commands.some(({ target }) => target === whole)) return;
    if (variables.length === 0 && commands.length > 0 && this.shows(line)) return;
    throw this.#violation(`run ${whole.slice(0, 200)}`);
  }

  /** Whether a text stands among the arguments of the call, as it is. */
  shows(text: string): boolean {
    return this.#everything || isAmong(this.#args, text);
  }

  /**
   * Throws `effect_violation` unless git may do this much in a directory: change the repository (a tree for writing with its
   * `.git`), change files too (a tree for writing with the directory), or anything.
   */
  assertGit(
    authority: 'repository' | 'files' | 'everything',
    directory: string,
    args: readonly string[],
  ): void {
    const act = `run git ${args.join(' ').slice(0, 200)}`;
    this.assertNotReadOnly(act);
    if (this.#everything) return;
    const trees = this.#targets.filter(({ mode, tree }) => mode === 'write' && tree);
    const folded = foldPath(directory, this.#folding);
    const isCovered =
      authority === 'files'
        ? trees.some((tree) => covers(tree, folded))
        : trees.some((tree) => repositoriesOf(folded).some((path) => covers(tree, path)));
    if (authority === 'everything' || !isCovered) throw this.#violation(act);
  }

  /** Throws `effect_violation` unless an effect of this kind was declared. */
  assertKind(kind: 'model' | 'ask'): void {
    if (this.#everything || this.#effects.some((effect) => effect.kind === kind)) return;
    throw this.#violation(kind);
  }

  /** Throws `effect_violation` unless this host, with this method, was declared. */
  assertNet(effect: Effect): void {
    if (!this.has(effect)) throw this.#violation(`reach ${effect.target}`);
  }

  #coversPath(mode: 'read' | 'write', realPath: string): boolean {
    const path = foldPath(realPath, this.#folding);
    return this.#targets.some(
      (target) => (mode === 'read' || target.mode === 'write') && covers(target, path),
    );
  }

  #violation(act: string): ToolError {
    return this.#refusal(
      'undeclared',
      `${this.#tool} did not declare that it would ${act}; the call was stopped before it did.`,
    );
  }

  #refusal(reason: string, message: string): ToolError {
    this.#onRefused(message);
    return new ToolError('effect_violation', message, { reason });
  }
}

/** Whether the target of an effect is a program with these arguments and variables. */
function runs(
  { file, args }: { readonly file: string; readonly args: readonly string[] },
  env: Readonly<Record<string, string>>,
) {
  const whole = [...assignments(env), file, ...args];
  return ({ target }: Effect): boolean => {
    const { words, isSimple } = shellWords(target);
    return (
      isSimple &&
      words.length === whole.length &&
      words.every(({ text }, index) => text === whole[index])
    );
  };
}

function assignments(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(env).map(([name, value]) => `${name}=${value}`);
}

/** Where the repository of a directory may be: in it, or in one above. */
function repositoriesOf(directory: string): readonly string[] {
  const names = directory === '' ? [] : directory.split('/');
  return Array.from({ length: names.length + 1 }, (_, kept) =>
    [...names.slice(0, kept), '.git'].join('/'),
  );
}

function isAmong(value: JsonValue, text: string): boolean {
  if (typeof value !== 'object' || value === null) return value === text;
  return Object.values(value).some((item: JsonValue) => isAmong(item, text));
}

function shown(path: string): string {
  return path === '' ? 'the root' : JSON.stringify(path);
}
