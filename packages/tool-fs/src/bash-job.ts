import {
  defineTool,
  ToolError,
  type Tool,
  type ToolContext,
  type ToolOutput,
} from '@toolwright/core';
import { describeJob, isRunning, sessionJobs, type Job, type JobTable } from './bash/job-table.ts';
import { shortLine } from './bash/short-line.ts';
import { describeExit, describeProcesses, withNote } from './bash/render-output.ts';

/** Milliseconds that a poll waits for something new. */
const pollMs = 1_000;

/** Bytes kept free for the last line of the output. */
const noteBytes = 512;

interface JobInput {
  readonly action: 'list' | 'poll' | 'write' | 'stop';
  readonly job_id?: string | undefined;
  readonly cursor?: string | undefined;
  readonly input?: string | undefined;
  readonly signal?: 'SIGTERM' | 'SIGKILL' | 'SIGINT' | 'SIGHUP' | undefined;
}

/** The `bash_job` tool: looking at, feeding and stopping what runs in the background. */
export function bashJobTool(): Tool {
  return defineTool({
    name: 'bash_job',
    title: 'Background jobs',
    description:
      'Looks after commands that run in the background (bash with background, or what a command left running). list shows them; poll gives the output since cursor and how the job stands; write sends text to its standard input, and closes the input when input is left out; stop ends the job with all its processes, or sends it the signal named. Jobs end with the session.',
    keywords: ['background', 'job', 'process', 'poll', 'kill', 'stop', 'stdin'],
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['action'],
      properties: {
        action: {
          type: 'string',
          enum: ['list', 'poll', 'write', 'stop'],
          description: 'What to do.',
        },
        job_id: {
          type: 'string',
          minLength: 1,
          description: 'The job, as bash named it; not for list.',
        },
        cursor: {
          type: 'string',
          minLength: 1,
          description: 'poll: next_cursor of the poll before. Default: from the beginning.',
        },
        input: { type: 'string', description: 'write: text to send, with its line feeds.' },
        signal: {
          type: 'string',
          enum: ['SIGTERM', 'SIGKILL', 'SIGINT', 'SIGHUP'],
          description:
            'stop: send just this signal. Default: SIGTERM, then SIGKILL to what is left.',
        },
      },
    },
    examples: [
      { action: 'list' },
      { action: 'poll', job_id: 'job-1' },
      { action: 'stop', job_id: 'job-1' },
    ],
    requires: ['processes'],
    capabilities: ({ action }) =>
      action === 'list' || action === 'poll'
        ? {
            readOnly: true,
            idempotent: true,
            resumable: true,
            cancellationSafe: true,
            paginated: true,
            maxParallelism: 8,
          }
        : {},
    // What a program does with its input cannot be told.
    effects: ({ action, job_id = '', input = '' }) =>
      action === 'write' ? [{ kind: 'unknown', target: `input of ${job_id}: ${input}` }] : [],
    run: (input, context) => run(input, context),
  });
}

async function run(input: JobInput, context: ToolContext<'processes'>): Promise<ToolOutput> {
  const jobs = context.resource(sessionJobs);
  if (input.action === 'list') return list(jobs);
  if (input.job_id === undefined) {
    throw new ToolError(
      'invalid_argument',
      `job_id is required for ${input.action}; list shows the jobs.`,
    );
  }
  const job = jobs.get(input.job_id);
  switch (input.action) {
    case 'poll':
      return poll(job, input.cursor, context);
    case 'write':
      return write(job, input.input);
    case 'stop':
      return stop(job, input.signal);
  }
}

async function list(jobs: JobTable): Promise<ToolOutput> {
  const all = jobs.list();
  const lines: string[] = [];
  for (const job of all) {
    const line = shortLine(job.command.line).replaceAll('\n', String.raw`\n`);
    lines.push(`${job.id} ${await stateOf(job)}: ${line}\n`);
  }
  return {
    output: all.length === 0 ? 'There are no jobs.\n' : lines.join(''),
    metadata: { jobs: await Promise.all(all.map(describeJob)) },
  };
}

async function poll(
  job: Job,
  cursor: string | undefined,
  context: ToolContext<'processes'>,
): Promise<ToolOutput> {
  const offset = offsetOf(job, cursor);
  if (offset === job.log.end && (await isRunning(job))) await job.command.change(pollMs);
  const room = context.limits.maxOutputBytes - noteBytes;
  // Invalid bytes grow to three when they are decoded.
  const page = job.log.read(offset, Math.floor(room / 3), job.command.ended);
  const next = `${job.id}:${page.nextOffset}`;
  const eof = page.nextOffset === job.log.end && !(await isRunning(job));
  const goOn = eof ? '' : `; go on with cursor ${next}`;
  const dropped = page.droppedBytes > 0 ? `[${page.droppedBytes} bytes were not kept]\n` : '';
  return {
    output: withNote(`${dropped}${page.text}`, `${job.id} ${await stateOf(job)}${goOn}`),
    metadata: {
      ...(await describeJob(job)),
      cursor: cursor ?? null,
      next_cursor: next,
      dropped_bytes: page.droppedBytes,
      eof,
    },
  };
}

async function write(job: Job, input: string | undefined): Promise<ToolOutput> {
  const { handle } = job.command;
  if (input === undefined) await handle.endInput();
  else await handle.writeInput(Buffer.from(input, 'utf8'));
  const said =
    input === undefined
      ? 'Closed the input'
      : `Sent ${Buffer.byteLength(input)} bytes to the input`;
  return { output: `${said} of ${job.id}.\n`, metadata: await describeJob(job) };
}

async function stop(job: Job, signal: JobInput['signal']): Promise<ToolOutput> {
  const { handle } = job.command;
  if (signal !== undefined && signal !== 'SIGKILL' && (await isRunning(job))) {
    await handle.kill(signal);
    return { output: `Sent ${signal} to ${job.id}.\n`, metadata: await describeJob(job) };
  }
  const survivors = await handle.close();
  await job.command.drained;
  if (survivors.length > 0) {
    throw new ToolError(
      'internal',
      `These processes of ${job.id} could not be ended: ${describeProcesses(survivors)}.`,
      {
        reason: 'cannot_end',
      },
    );
  }
  return {
    output: `${job.id} ${await stateOf(job)}; nothing of it runs any more.\n`,
    metadata: await describeJob(job),
  };
}

async function stateOf(job: Job): Promise<string> {
  const { exit, handle } = job.command;
  if (exit === null) return `runs (pid ${handle.pid})`;
  const how = describeExit(exit) ?? 'exit code 0';
  return (await isRunning(job)) ? `has exited (${how}), children of it run` : `has exited (${how})`;
}

/** The offset of a cursor, which names its job. */
function offsetOf(job: Job, cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const [id, digits] = cursor.split(':');
  const offset = Number(digits);
  if (id !== job.id || !/^\d{1,15}$/.test(digits ?? '') || offset > job.log.end) {
    throw new ToolError(
      'invalid_argument',
      'cursor is not one of this job; pass next_cursor of the poll before, or leave it out.',
      {
        reason: 'bad_cursor',
      },
    );
  }
  return offset;
}
