import { ToolError, type JsonObject, type SessionResource } from '@toolwright/core';
import type { OutputLog } from '../capture/output-log.ts';
import type { RunningCommand } from './running-command.ts';
import { shortLine } from './short-line.ts';

/** Jobs that run at once, at most. */
export const maxRunningJobs = 16;

/** Finished jobs that can still be polled. */
const maxFinishedJobs = 32;

/** A command that runs in the background, or has. */
export interface Job {
  readonly id: string;
  readonly command: RunningCommand;
  readonly log: OutputLog;
}

/** The background jobs of a session. */
export class JobTable {
  readonly #jobs = new Map<string, Job>();
  #lastId = 0;

  /** Errors: `limit_exceeded` (`job_limit`). */
  async assertRoom(): Promise<void> {
    const running = await Promise.all(this.list().map(isRunning));
    if (running.filter(Boolean).length < maxRunningJobs) return;
    throw new ToolError(
      'limit_exceeded',
      `${maxRunningJobs} jobs are running; stop one with bash_job before starting another.`,
      { reason: 'job_limit' },
    );
  }

  async add(command: RunningCommand): Promise<Job> {
    this.#lastId += 1;
    const job = { id: `job-${this.#lastId}`, command, log: command.keepLog() };
    this.#jobs.set(job.id, job);
    const finished: string[] = [];
    for (const entry of this.list()) if (!(await isRunning(entry))) finished.push(entry.id);
    for (const id of finished.slice(0, -maxFinishedJobs)) this.#jobs.delete(id);
    return job;
  }

  list(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  /** Errors: `not_found`, with the ids that there are. */
  get(id: string): Job {
    const job = this.#jobs.get(id);
    if (job !== undefined) return job;
    const known = [...this.#jobs.keys()].join(', ') || 'none';
    throw new ToolError('not_found', `There is no job ${JSON.stringify(id)}; jobs: ${known}.`, {
      reason: 'no_such_job',
    });
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    await Promise.allSettled(this.list().map(({ command }) => command.handle.close()));
  }
}

/** The session's jobs. */
export const sessionJobs: SessionResource<JobTable> = {
  create: () => new JobTable(),
  close: (jobs) => jobs.close(),
};

/** Whether its command, or a child that the command left, still runs. */
export async function isRunning({ command }: Job): Promise<boolean> {
  if (command.exit === null) return true;
  return command.exit.background.length > 0 && (await command.handle.members()).length > 0;
}

/** What callers are told of a job. */
export async function describeJob(job: Job): Promise<JsonObject> {
  const { exit, handle, line } = job.command;
  return {
    job_id: job.id,
    command: shortLine(line),
    pid: handle.pid,
    state: (await isRunning(job)) ? 'running' : 'exited',
    exit_code: exit?.exitCode ?? null,
    signal: exit?.signal ?? null,
    output_bytes: job.log.end,
  };
}
