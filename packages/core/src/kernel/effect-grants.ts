import { ToolError } from '../errors/tool-error.ts';
import { shellWords } from '../policy/shell-words.ts';
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
    },
  ) {
    this.#tool = tool;
    this.#folding = options.folding;
    this.#readOnly = options.readOnly;
    this.#orchestrator = options.orchestrator;
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
      throw new ToolError(
        'effect_violation',
        `${this.#tool} is an orchestrator and tried to ${act}; it must call a tool that does.`,
        { reason: 'orchestrator' },
      );
    }
    if (!this.#readOnly) return;
    throw new ToolError(
      'effect_violation',
      `${this.#tool} declared this call read-only and then tried to ${act}; nothing was written.`,
      { reason: 'read_only' },
    );
  }

  /**
   * Throws `effect_violation` unless this command was declared: a program with exactly its arguments and variables, which may
   * make another program of it (`PATH`, `LD_PRELOAD`); for a shell's line only that some command was, since what a line runs
   * is told by who parsed it.
   */
  assertExec({ command, env = {} }: SpawnRequest): void {
    if (this.#everything) return;
    const commands = this.#effects.filter(({ kind }) => kind === 'exec');
    if (command.kind === 'shell' ? commands.length > 0 : commands.some(runs(command, env))) return;
    throw this.#violation(
      command.kind === 'shell'
        ? 'run a command'
        : `run ${commandTarget(command.file, command.args, env).slice(0, 200)}`,
    );
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

  /** Throws `effect_violation` unless some path was declared for writing. */
  assertSomeWrite(act: string): void {
    this.assertNotReadOnly(act);
    if (!this.#targets.some((target) => target.mode === 'write')) throw this.#violation(act);
  }

  #coversPath(mode: 'read' | 'write', realPath: string): boolean {
    const path = foldPath(realPath, this.#folding);
    return this.#targets.some(
      (target) => (mode === 'read' || target.mode === 'write') && covers(target, path),
    );
  }

  #violation(act: string): ToolError {
    return new ToolError(
      'effect_violation',
      `${this.#tool} did not declare that it would ${act}; the call was stopped before it did.`,
      { reason: 'undeclared' },
    );
  }
}

/** Whether the target of an effect is a program with these arguments and variables. */
function runs(
  { file, args }: { readonly file: string; readonly args: readonly string[] },
  env: Readonly<Record<string, string>>,
) {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const whole = [...variables, file, ...args];
  return ({ target }: Effect): boolean => {
    const { words, isSimple } = shellWords(target);
    return (
      isSimple &&
      words.length === whole.length &&
      words.every(({ text }, index) => text === whole[index])
    );
  };
}

function shown(path: string): string {
  return path === '' ? 'the root' : JSON.stringify(path);
}
