import {
  defineTool,
  ToolError,
  type ProcessHandle,
  type SandboxMode,
  type Tool,
  type ToolContext,
  type ToolOutput,
} from '@toolwright/core';
import { backgroundMetadata, changesOf, exitMetadata } from './bash/command-metadata.ts';
import { interrupt, settlementMs } from './bash/interrupt.ts';
import { sessionJobs } from './bash/job-table.ts';
import { describeExit, describeProcesses, renderOutput, withNote } from './bash/render-output.ts';
import { endsWithin, RunningCommand } from './bash/running-command.ts';
import { shellEffects } from './shell/shell-effects.ts';

/** Milliseconds that a command may run when nothing is said. */
export const DEFAULT_BASH_TIMEOUT_MS = 120_000;
/** Milliseconds that a command may run at most. */
export const MAX_BASH_TIMEOUT_MS = 3_600_000;
/** Milliseconds to wait for the rest of the output after the command's own exit. */
const drainMs = 1_000;
/** The same when children still hold the pipes: what has not come by then is the children's. */
const quietMs = 25;

/** How `bash` is set up. */
export interface BashOptions {
  /** What happens to processes that a finished command leaves behind: they become a job, or end. Default `keep`. */
  readonly leftProcesses?: 'keep' | 'end';
}

interface BashInput {
  readonly command: string;
  readonly timeout?: number | undefined;
  readonly cwd?: string | undefined;
  readonly background?: boolean | undefined;
  readonly sandbox_permissions?: 'use_default' | 'require_escalated' | undefined;
  readonly justification?: string | undefined;
}

type BashContext = ToolContext<'processes'>;

/** The `bash` tool: a command line in the workspace, in the sandbox where there is one. */
export function bashTool(options: BashOptions = {}): Tool {
  return defineTool({
    name: 'bash',
    title: 'Run a command',
    description:
      'Runs a command line in a shell of the workspace: builds, tests, scripts, package managers. Each call is a new shell, nothing but files survives it; standard input is closed and nobody can answer prompts. Where a sandbox is there, only the workspace and /tmp can be written and there is no network; ask for require_escalated with a justification when a command cannot work so. Set background for servers and watchers and look at them with bash_job. Long output is cut in the middle, the whole is kept. To read, search or change files use read, search, edit and write; for git use git.',
    keywords: [
      'shell',
      'terminal',
      'execute',
      'run',
      'process',
      'command line',
      'script',
      'test',
      'build',
    ],
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['command'],
      properties: {
        command: {
          type: 'string',
          minLength: 1,
          description: 'The command line, in the language of the shell (bash).',
        },
        timeout: {
          type: 'integer',
          minimum: 1_000,
          maximum: MAX_BASH_TIMEOUT_MS,
          'x-clamp': true,
          description:
            'Milliseconds after which the command and all its children are ended; not for a background job. Default 120,000.',
        },
        cwd: {
          type: 'string',
          description: 'Directory to run in, relative to the workspace root. Default: the root.',
        },
        background: {
          type: 'boolean',
          description:
            'Start it as a job and return at once; bash_job polls, feeds and stops it. Default false.',
        },
        sandbox_permissions: {
          type: 'string',
          enum: ['use_default', 'require_escalated'],
          description:
            'require_escalated runs outside the sandbox, after somebody has agreed. Default use_default.',
        },
        justification: {
          type: 'string',
          description:
            'Why it has to run outside the sandbox, for who decides. Required with require_escalated.',
        },
      },
    },
    examples: [
      { command: 'npm test' },
      { command: 'npm run dev', background: true },
      {
        command: 'npm install',
        sandbox_permissions: 'require_escalated',
        justification: 'Installing packages needs the network.',
      },
    ],
    requires: ['processes'],
    timeoutMs: ({ timeout = DEFAULT_BASH_TIMEOUT_MS }) => timeout + settlementMs,
    effects: async (input, { workspace }) => {
      const escalated = input.sandbox_permissions === 'require_escalated';
      if (escalated && (input.justification ?? '').trim() === '') {
        throw new ToolError(
          'invalid_argument',
          'justification is required with require_escalated; say why the sandbox is in the way.',
          {
            reason: 'no_justification',
          },
        );
      }
      const confined = !escalated && workspace.processes?.sandbox.available === true;
      const effects = await shellEffects(
        { line: input.command, cwd: input.cwd ?? '', confined },
        workspace,
      );
      if (!escalated) return effects;
      return [
        ...effects,
        { kind: 'unknown', target: `outside the sandbox: ${input.justification}` },
      ];
    },
    run: (input, context) => run(input, context, options),
  });
}

async function run(
  input: BashInput,
  context: BashContext,
  options: BashOptions,
): Promise<ToolOutput> {
  const { processes } = context.workspace;
  const background = input.background === true;
  const jobs = context.resource(sessionJobs);
  if (background) await jobs.assertRoom();
  const escalated = input.sandbox_permissions === 'require_escalated';
  const sandbox: SandboxMode | undefined = escalated ? 'unconfined' : undefined;
  const handle = await processes.spawn({
    command: { kind: 'shell', line: input.command },
    cwd: input.cwd ?? '',
    input: background ? 'pipe' : 'closed',
    ...(sandbox === undefined ? {} : { sandbox }),
  });
  if (background) return startJob(input, handle, context);
  const command = new RunningCommand(handle, {
    line: input.command,
    openArtifact: () => context.artifacts.writer(),
    onText: (text) => context.delta(text),
  });
  const timeoutMs = input.timeout ?? DEFAULT_BASH_TIMEOUT_MS;
  const ending = await firstOf(command, timeoutMs, context.signal);
  if (ending !== 'exit') {
    const { maxOutputBytes } = context.limits;
    throw await interrupt(command, { ending, timeoutMs, maxOutputBytes });
  }
  return finished(command, context, options);
}

async function startJob(
  input: BashInput,
  handle: ProcessHandle,
  context: BashContext,
): Promise<ToolOutput> {
  const command = new RunningCommand(handle, { line: input.command, openArtifact: null });
  const job = await context.resource(sessionJobs).add(command);
  return {
    output: `Started as ${job.id} (pid ${handle.pid}). Look at its output with bash_job: action poll, job_id ${job.id}.\n`,
    metadata: {
      exit_code: null,
      signal: null,
      timed_out: false,
      sandboxed: handle.sandboxed,
      stdout: { bytes: 0, captured_bytes: 0, truncated: false, artifact_uri: null },
      stderr: { bytes: 0, captured_bytes: 0, truncated: false, artifact_uri: null },
      changed_paths: null,
      ...backgroundMetadata([{ pid: handle.pid, command: input.command }]),
      job_id: job.id,
    },
  };
}

/** What comes first: the exit of the command itself, whoever holds its pipes, the deadline, or a cancellation. */
async function firstOf(
  command: RunningCommand,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<'exit' | 'timeout' | 'cancelled'> {
  let abort = (): void => {};
  const aborted = new Promise<'cancelled'>((resolve) => {
    abort = () => resolve('cancelled');
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  try {
    const exited = command.handle.exit.then(() => 'exit' as const);
    let first: 'exit' | 'cancelled' = 'exit';
    const either = Promise.race([exited, aborted]).then((ending) => {
      first = ending;
      return ending;
    });
    return (await endsWithin(either, timeoutMs)) ? first : 'timeout';
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function finished(
  command: RunningCommand,
  context: BashContext,
  options: BashOptions,
): Promise<ToolOutput> {
  const exit = await command.handle.exit;
  const left = exit.background;
  if (left.length === 0) {
    await endsWithin(command.drained, drainMs);
    if (!command.ended) await command.handle.close();
  } else {
    await command.settle(quietMs, drainMs);
  }
  const rendered = await renderOutput(command, context.limits.maxOutputBytes);
  let text = rendered.text;
  const note = describeExit(exit);
  if (note !== null) text = withNote(text, note);
  let jobId: string | null = null;
  if (left.length > 0 && options.leftProcesses === 'end') {
    const survivors = await command.handle.close();
    const ended =
      survivors.length === 0 ? 'ended' : `not all ended: ${describeProcesses(survivors)}`;
    text = withNote(
      text,
      `processes left in the background were ${ended}: ${describeProcesses(left)}`,
    );
  } else if (left.length > 0) {
    jobId = (await context.resource(sessionJobs).add(command)).id;
    text = withNote(
      text,
      `still running in the background as ${jobId} until stopped with bash_job: ${describeProcesses(left)}`,
    );
  }
  return {
    output: text,
    structured: { exit_code: exit.exitCode, signal: exit.signal, ...rendered.structured },
    metadata: {
      ...exitMetadata(exit, rendered, command),
      timed_out: false,
      ...(await changesOf(command)),
      ...backgroundMetadata(left),
      job_id: jobId,
    },
    exitCode: exit.exitCode === 0 ? 0 : 1,
  };
}
