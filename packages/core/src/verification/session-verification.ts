import { ToolError } from '../errors/tool-error.ts';
import type { JsonObject } from '../json/json.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { WorkspaceFiles } from '../workspace/files.ts';
import { VerificationLedger } from './verification-ledger.ts';
import { verificationPresets } from './verification-presets.ts';
import type { VerificationReport } from './verification-report.ts';
import { isVerified, type VerificationSummary } from './verification-summary.ts';
import type { CommandRun, RunCommand, VerificationCommand } from './verify-commands.ts';

/** How a session's commands are verified. */
export interface VerifyCommandsOptions {
  /** Ends what runs; checks that have not begun are skipped. */
  readonly signal?: AbortSignal;
  /** Commands at once, of those that may run beside others. Default 4. */
  readonly maxConcurrency?: number;
  /**
   * Runs the commands outside the sandbox. Default false: what is verified was written by an agent, the tests
   * and the scripts that run them included.
   */
  readonly unconfined?: boolean;
}

/** What a session has verified, and where that stands. */
export interface Verification {
  /** The checks that the files of the workspace suggest; see `verificationPresets`. */
  presets(): Promise<readonly VerificationCommand[]>;
  /** Every report of this session, in the order in which they were issued. */
  reports(): readonly VerificationReport[];
  /** Whether an object is a report that this session issued; a copy of one is not. */
  issued(report: VerificationReport | JsonObject): boolean;
  /** Where all of it stands: for each subject the latest result of each check counts. */
  summary(): VerificationSummary;
  /**
   * Whether the work may be called done: the checks on exactly the files as the session's calls left them have passed, a
   * required one among them. What commands change by themselves is not seen here.
   */
  isVerified(): boolean;
}

/** What verification needs of its session. */
export interface VerificationSession {
  readonly files: WorkspaceFiles | undefined;
  /** Digest of what the session's calls have changed. */
  changesDigest(): string;
  /** The host's own call of `bash`. */
  runShell(
    args: JsonObject,
    options: { readonly signal: AbortSignal | undefined; readonly beside: boolean },
  ): Promise<ToolResult>;
  /** Runs something while the session keeps every other call from the files. */
  together<T>(run: () => Promise<T>, signal: AbortSignal | undefined): Promise<T>;
}

/** Bytes of a project's manifest that are looked at, at most. */
const maxManifestBytes = 1_048_576;

/** The verification of one session: the only place where reports come from. */
export class SessionVerification implements Verification {
  readonly #session: VerificationSession;
  readonly #ledger = new VerificationLedger();

  constructor(session: VerificationSession) {
    this.#session = session;
  }

  /** Runs commands through `bash` and issues the report. Errors: `TypeError` for two commands with one id. */
  async verify(
    subject: string,
    commands: readonly VerificationCommand[],
    options: VerifyCommandsOptions = {},
  ): Promise<VerificationReport> {
    const { signal, maxConcurrency, unconfined = false } = options;
    const escalation: JsonObject = unconfined
      ? { sandbox_permissions: 'require_escalated', justification: `to verify ${subject}` }
      : {};
    const runCommand: RunCommand = async (command, { timeoutMs, beside = false }) =>
      toCommandRun(
        await this.#session.runShell(
          { command, ...escalation, ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }) },
          { signal, beside },
        ),
      );
    return this.#ledger.verify(subject, commands, {
      runCommand,
      together: (run) => this.#session.together(run, signal),
      effectDigest: this.#session.changesDigest(),
      ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  presets(): Promise<readonly VerificationCommand[]> {
    return verificationPresets((path) => readManifest(this.#session.files, path));
  }

  reports(): readonly VerificationReport[] {
    return this.#ledger.reports();
  }

  issued(report: VerificationReport | JsonObject): boolean {
    return this.#ledger.issued(report);
  }

  summary(): VerificationSummary {
    return this.#ledger.summary();
  }

  isVerified(): boolean {
    return isVerified(this.#ledger.summary(this.#session.changesDigest()));
  }
}

/** A call of `bash` that never came to running its command tells nothing about the command. */
function toCommandRun({ metadata, error }: ToolResult): CommandRun {
  const exitCode = metadata['exit_code'];
  if (typeof exitCode === 'number') return { ran: true, exitCode, metadata };
  const hasRun = error === null || error.type === 'timeout';
  if (hasRun) return { ran: true, exitCode: null, metadata };
  return { ran: false, message: error.message };
}

async function readManifest(
  files: WorkspaceFiles | undefined,
  path: string,
): Promise<string | null> {
  if (files === undefined) return null;
  try {
    const reader = await files.openRead(path);
    try {
      if (reader.stat.size > maxManifestBytes) return null;
      return new TextDecoder().decode(await reader.read(0, reader.stat.size));
    } finally {
      await reader.close();
    }
  } catch (error) {
    // Absent, a directory, or a link that leaves the workspace: nothing that suggests a check.
    if (ToolError.isInstance(error)) return null;
    throw error;
  }
}
