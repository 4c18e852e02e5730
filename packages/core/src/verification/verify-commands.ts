import { assertKnown } from '../host/assert-known.ts';
import type { JsonValue } from '../json/json.ts';
import {
  toVerificationReport,
  type CheckKind,
  type VerificationCheck,
  type VerificationReport,
} from './verification-report.ts';

/** A command whose exit code tells whether something holds. */
export interface VerificationCommand {
  readonly id: string;
  readonly kind: CheckKind;
  readonly description: string;
  readonly command: string;
  /** Default false. */
  readonly required?: boolean;
  /** Default: that of the shell. */
  readonly timeoutMs?: number;
  /** Default 0. */
  readonly expectExit?: number;
  /**
   * It changes no file that another check reads, so it may run beside others. Default: true for the kinds
   * `lint`, `typecheck` and `format`, else false.
   */
  readonly parallel?: boolean;
}

const commandFields: Readonly<Record<keyof VerificationCommand, true>> = {
  id: true,
  kind: true,
  description: true,
  command: true,
  required: true,
  timeoutMs: true,
  expectExit: true,
  parallel: true,
};

/** What became of a command. */
export type CommandRun =
  /** It ran; a null exit code means that a signal or its deadline ended it. */
  | { readonly ran: true; readonly exitCode: number | null; readonly metadata: JsonValue }
  /** It could not be started. */
  | { readonly ran: false; readonly message: string };

/** Runs one command line; must not throw for a command that fails. */
export type RunCommand = (
  command: string,
  options: {
    readonly timeoutMs?: number;
    readonly signal?: AbortSignal;
    /** It runs beside others, inside `VerifyOptions.together`. */
    readonly beside?: boolean;
  },
) => Promise<CommandRun>;

/** How commands are verified. */
export interface VerifyOptions {
  readonly runCommand: RunCommand;
  /** Called around commands that run side by side: keeps everything else from the files meanwhile. */
  readonly together?: <T>(run: () => Promise<T>) => Promise<T>;
  /** Commands at once, of those that may run beside others. Default 4. */
  readonly maxConcurrency?: number;
  /** Digest of the changes that the report speaks of. */
  readonly effectDigest?: string;
  /** Checks that have not begun when it is aborted are skipped. */
  readonly signal?: AbortSignal;
}

const parallelKinds: ReadonlySet<string> = new Set(['lint', 'typecheck', 'format']);

/**
 * Runs commands and reports how they came out, in their order. Neighbours that change nothing run side by
 * side, every other command alone. Errors: `TypeError` for two commands with one id, and for fields that there are not.
 */
export async function verifyCommands(
  subject: string,
  commands: readonly VerificationCommand[],
  options: VerifyOptions,
): Promise<VerificationReport> {
  if (new Set(commands.map(({ id }) => id)).size !== commands.length) {
    throw new TypeError('Two verification commands have the same id.');
  }
  for (const command of commands) {
    assertKnown(`verification command ${JSON.stringify(command.id)}`, command, commandFields);
  }
  const checks: VerificationCheck[] = [];
  for (let at = 0; at < commands.length;) {
    const group = nextGroup(commands, at, Math.max(options.maxConcurrency ?? 4, 1));
    checks.push(...(await checkGroup(group, options)));
    at += group.length;
  }
  return toVerificationReport(
    subject,
    checks,
    options.effectDigest === undefined ? {} : { effectDigest: options.effectDigest },
  );
}

async function checkGroup(
  group: readonly VerificationCommand[],
  options: VerifyOptions,
): Promise<readonly VerificationCheck[]> {
  const beside = group.length > 1;
  const run = (): Promise<readonly VerificationCheck[]> =>
    Promise.all(group.map((command) => check(command, { ...options, beside })));
  if (!beside || options.together === undefined) return run();
  try {
    return await options.together(run);
  } catch (error) {
    // It was aborted before they could begin: they are skipped.
    if (options.signal?.aborted === true) return run();
    throw error;
  }
}

function nextGroup(
  commands: readonly VerificationCommand[],
  at: number,
  size: number,
): readonly VerificationCommand[] {
  let end = at;
  while (end < commands.length && end - at < size && isParallel(commands[end])) end += 1;
  return commands.slice(at, Math.max(end, at + 1));
}

function isParallel(command: VerificationCommand | undefined): boolean {
  return command !== undefined && (command.parallel ?? parallelKinds.has(command.kind));
}

async function check(
  command: VerificationCommand,
  options: VerifyOptions & { readonly beside: boolean },
): Promise<VerificationCheck> {
  const facts = {
    id: command.id,
    kind: command.kind,
    description: command.description,
    required: command.required ?? false,
    suggested_tools: ['bash'],
  };
  if (options.signal?.aborted === true) return { ...facts, status: 'skipped', evidence_uris: [] };
  const run = await options.runCommand(command.command, {
    ...(command.timeoutMs === undefined ? {} : { timeoutMs: command.timeoutMs }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(options.beside ? { beside: true } : {}),
  });
  if (!run.ran) {
    const residual_risk = `${command.description}: could not be run: ${run.message}`;
    return { ...facts, status: 'needs_review', evidence_uris: [], residual_risk };
  }
  const passed = run.exitCode === (command.expectExit ?? 0);
  return {
    ...facts,
    status: passed ? 'passed' : 'failed',
    evidence_uris: evidenceUris(run.metadata),
  };
}

/** Every `artifact_uri` in a value, however deep; sorted, each once. */
export function evidenceUris(value: JsonValue): readonly string[] {
  const found = new Set<string>();
  const visit = (part: JsonValue): void => {
    if (typeof part !== 'object' || part === null) return;
    if (Array.isArray(part)) {
      for (const item of part) visit(item);
      return;
    }
    for (const [key, item] of Object.entries(part)) {
      if (key === 'artifact_uri' && typeof item === 'string') found.add(item);
      else visit(item);
    }
  };
  visit(value);
  return [...found].toSorted();
}
