import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject, JsonValue, ToolResult } from '@toolwright/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bashJobTool } from '../src/bash-job.ts';
import { bashTool } from '../src/bash.ts';
import { openSession, type OpenedSession } from './open-session.ts';

let opened: OpenedSession;
let previousLang: string | undefined;

beforeAll(async () => {
  process.env['MY_GATEWAY_TOKEN'] = 's3cr3t';
  process.env['OH_SESSION_API_KEYS_0'] = 'k3y-of-session';
  process.env['GIT_SSH_COMMAND'] = 'evil-ssh';
  process.env['no_proxy'] = 'localhost';
  process.env['NODE_OPTIONS'] = '--no-deprecation';
  previousLang = process.env['LANG'];
  process.env['LANG'] = 'C.UTF-8';
  opened = await openSession([bashTool(), bashJobTool()], {
    processes: { sandbox: { enabled: false } },
  });
});

afterAll(async () => {
  for (const name of [
    'MY_GATEWAY_TOKEN',
    'OH_SESSION_API_KEYS_0',
    'GIT_SSH_COMMAND',
    'no_proxy',
    'NODE_OPTIONS',
    'LANG',
  ]) {
    delete process.env[name];
  }
  if (previousLang !== undefined) process.env['LANG'] = previousLang;
  await opened.close();
});

function bash(command: string, more: JsonObject = {}): Promise<ToolResult> {
  return opened.session.tool('bash', { command, ...more });
}

function running(pattern: string): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim();
      } catch {
        return '';
      }
    })
    .filter((line) => line === pattern);
}

/** A text of the metadata, or of an object in it. */
function text(metadata: JsonValue | undefined, key: string): string {
  expect(metadata).toMatchObject({ [key]: expect.any(String) });
  // Just checked.
  return (metadata as Record<string, string>)[key] ?? '';
}

const whole = { truncated: false, artifact_uri: null };

describe('bash', () => {
  it('answers with the output, the exit code and what changed', async () => {
    execFileSync('git', ['init', '-q'], { cwd: opened.root });
    expect(await bash('echo out; echo err >&2; echo x > made.txt; exit 3')).toMatchObject({
      output: 'out\n[stderr]\nerr\n[exit code 3]\n',
      exit_code: 1,
      error: null,
      structured: { exit_code: 3, signal: null, stdout: 'out\n', stderr: 'err\n' },
      metadata: {
        exit_code: 3,
        signal: null,
        timed_out: false,
        sandboxed: false,
        stdout: { bytes: 4, captured_bytes: 4, ...whole },
        stderr: { bytes: 4, captured_bytes: 4, ...whole },
        changed_paths: ['made.txt'],
        background_processes: [],
        job_id: null,
      },
    });
  });

  it('SHELL-001 background child holding stdout', async () => {
    const started = performance.now();
    const result = await bash('sleep 630 & echo done', { timeout: 10_000 });
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(result).toMatchObject({
      exit_code: 0,
      structured: { stdout: 'done\n', stderr: '' },
      metadata: {
        exit_code: 0,
        // On a busy machine the child is still the shell's own copy, with its command line.
        background_processes: [
          { pid: expect.any(Number), command: expect.stringContaining('sleep 630') },
        ],
        job_id: expect.stringMatching(/^job-\d+$/),
      },
    });
    expect(result.output).toMatch(
      /^done\n\[still running in the background as job-\d+ .*sleep 630.*\]\n$/,
    );
    await expect.poll(() => running('sleep 630'), { timeout: 10_000 }).toHaveLength(1);
    const stop = await opened.session.tool('bash_job', {
      action: 'stop',
      job_id: text(result.metadata, 'job_id'),
    });
    expect(stop).toMatchObject({ error: null, metadata: { state: 'exited' } });
    expect(running('sleep 630')).toEqual([]);
  });

  it('SHELL-003 timeout kills the tree', async () => {
    const line = 'mkfifo p; (while true; do echo c; sleep 1; done) > p & cat p';
    const result = await bash(line, { timeout: 1_000 });
    expect(result).toMatchObject({
      exit_code: 1,
      error: { type: 'timeout', op: 'bash', duration_ms: 1_000 },
      metadata: { timed_out: true, background_processes: [] },
    });
    expect(result.output).toMatch(
      /^timeout: .*; the command and its children were ended\. .*\nc\n$/,
    );
    expect(running('cat p')).toEqual([]);
  });

  it('SHELL-004 TERM is trapped', async () => {
    const result = await bash('trap "" TERM; sleep 631', { timeout: 1_000 });
    expect(result).toMatchObject({
      error: { type: 'timeout' },
      metadata: { timed_out: true, exit_code: null, signal: 'SIGKILL', background_processes: [] },
    });
    expect(running('sleep 631')).toEqual([]);
  });

  it('SHELL-005 child that left the process group', async () => {
    const result = await bash('setsid sleep 632 & sleep 633', { timeout: 1_000 });
    expect(result).toMatchObject({ metadata: { timed_out: true, background_processes: [] } });
    expect(result.output).toContain('the command and its children were ended');
    expect(running('sleep 632')).toEqual([]);
    expect(running('sleep 633')).toEqual([]);
  });

  it('SHELL-010 character split across chunks', async () => {
    const result = await bash(String.raw`printf '\342\202'; sleep 0.2; printf '\254\n'`);
    expect(result.output).toBe('€\n');
    const many = await bash(`for i in $(seq 1000); do printf '${'你'.repeat(50)}'; done`);
    const { stdout } = many.metadata;
    expect(stdout).toMatchObject({ bytes: 150_000 });
    expect(many.output).not.toContain('\uFFFD');
    expect(many.output.replaceAll(/[^你]/g, '').length).toBeGreaterThan(20_000);
    const uri = text(many.metadata['stdout'], 'artifact_uri');
    const kept = await opened.session.artifacts.read(uri, { start: 0, length: 200_000 });
    expect(Buffer.from(kept).toString()).toBe('你'.repeat(50_000));
  });

  it('SHELL-011 incomplete sequence at the very end', async () => {
    expect((await bash(String.raw`printf 'ab\303'`)).output).toBe('ab\uFFFD');
  });

  it('SHELL-012 stdout and stderr decoders are separate', async () => {
    const line = String.raw`printf '\303' ; printf 'E' >&2; sleep 0.1; printf '\251\n'`;
    const events = opened.session.events();
    const { structured } = await bash(line);
    expect(structured).toMatchObject({ stdout: 'é\n', stderr: 'E' });
    let told = '';
    for await (const event of events) {
      if (event.type === 'tool_output_delta') told += event.delta;
      if (event.type === 'tool_end') break;
    }
    expect(told).toBe('Eé\n');
  });

  it('SHELL-013 exit status of signals and pipefail', async () => {
    expect((await bash('kill -9 $$')).metadata).toMatchObject({
      exit_code: null,
      signal: 'SIGKILL',
    });
    expect(await bash('kill -9 $$')).toMatchObject({
      exit_code: 1,
      output: '[ended by SIGKILL]\n',
    });
    expect((await bash('exit 300')).metadata).toMatchObject({ exit_code: 44, signal: null });
    expect(await bash('false | true')).toMatchObject({ exit_code: 0, output: '' });
    const { metadata } = await bash("sh -c 'kill -TERM $$'");
    expect([metadata['signal'], metadata['exit_code']]).toEqual(['SIGTERM', null]);
  });

  it('SHELL-015 abort before spawn', async () => {
    const signal = AbortSignal.abort();
    const result = await opened.session.tool('bash', { command: 'touch marker' }, { signal });
    expect(result).toMatchObject({ exit_code: 1, error: { type: 'cancelled' } });
    expect(existsSync(join(opened.root, 'marker'))).toBe(false);
  });

  it('is never a success when it was cancelled', async () => {
    const controller = new AbortController();
    const call = opened.session.tool(
      'bash',
      { command: 'echo partial; sleep 634' },
      { signal: controller.signal },
    );
    while (running('sleep 634').length === 0) {
      await new Promise((resolve) => {
        setTimeout(resolve, 10);
      });
    }
    controller.abort();
    expect(await call).toMatchObject({ exit_code: 1, error: { type: 'cancelled' } });
    while (running('sleep 634').length > 0) {
      await new Promise((resolve) => {
        setTimeout(resolve, 10);
      });
    }
  });

  it('SHELL-017 environment is an allow list', async () => {
    const { output } = await bash('env; cat /proc/self/environ | tr "\\0" "\\n"');
    expect(output).not.toContain('s3cr3t');
    expect(output).not.toContain('k3y-of-session');
    expect(output).not.toContain('evil-ssh');
    expect(output).not.toMatch(/^NODE_OPTIONS=/m);
    for (const name of ['PATH', 'HOME', 'LANG', 'TERM', 'no_proxy']) {
      expect(output).toMatch(new RegExp(`^${name}=`, 'm'));
    }
    expect(output).toContain('TERM=dumb\n');
    expect(output).toContain('GIT_PAGER=cat\n');
    expect(output).toContain('GIT_TERMINAL_PROMPT=0\n');
  });

  it('keeps beginning and end of a long stream, and the whole as an artifact', async () => {
    const result = await bash('for i in $(seq 20000); do echo "line $i"; done; echo last >&2');
    expect(result.output).toMatch(/^line 1\nline 2\n/);
    expect(result.output).toMatch(/line 20000\n\[stderr\]\nlast\n$/);
    expect(result.metadata).toMatchObject({
      stdout: { bytes: 208_894, truncated: true, artifact_uri: expect.stringContaining('a3s://') },
      stderr: { bytes: 5, ...whole },
    });
    const uri = /a3s:\/\/[^\]\s]+/.exec(result.output)?.[0] ?? '';
    expect(result.metadata).toMatchObject({ stdout: { artifact_uri: uri } });
    const kept = await opened.session.artifacts.read(uri, { start: 0, length: 300_000 });
    const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i + 1}\n`).join('');
    expect(Buffer.from(kept).toString()).toBe(lines);
  });

  it('needs a directory that is there, and a reason to leave the sandbox', async () => {
    expect((await bash('true', { cwd: 'missing' })).error).toMatchObject({ type: 'not_found' });
    expect((await bash('true', { cwd: '/' })).error).toMatchObject({
      type: 'permission_denied',
      reason: 'outside_workspace',
    });
    expect(
      (await bash('true', { sandbox_permissions: 'require_escalated', justification: ' ' })).error,
    ).toMatchObject({ type: 'invalid_argument', reason: 'no_justification' });
  });
});

describe('bash_job', () => {
  const job = (input: JsonObject): Promise<ToolResult> => opened.session.tool('bash_job', input);

  /** Polls until there is something new: one poll waits a second at most, which is short on a busy machine. */
  async function pollNew(id: string, cursor?: string): Promise<ToolResult> {
    const from = cursor ?? `${id}:0`;
    for (let tries = 0; ; tries += 1) {
      const poll = await job({ action: 'poll', job_id: id, cursor: from });
      if (text(poll.metadata, 'next_cursor') !== from || tries === 10) return poll;
    }
  }

  it('starts, feeds, polls by cursor and ends a job', async () => {
    const { metadata, output } = await bash('echo ready; cat; echo bye; sleep 635', {
      background: true,
    });
    expect(output).toContain('bash_job');
    const id = text(metadata, 'job_id');
    let poll = await pollNew(id);
    expect(poll.output).toMatch(
      /^ready\n\[job-\d+ runs \(pid \d+\); go on with cursor job-\d+:6\]\n$/,
    );
    await job({ action: 'write', job_id: id, input: 'hello\n' });
    poll = await pollNew(id, text(poll.metadata, 'next_cursor'));
    expect(poll.output).toMatch(/^hello\n/);
    await job({ action: 'write', job_id: id });
    poll = await pollNew(id, text(poll.metadata, 'next_cursor'));
    expect(poll).toMatchObject({ metadata: { state: 'running', eof: false } });
    expect(poll.output).toMatch(/^bye\n/);
    expect((await job({ action: 'list' })).output).toContain(`${id} runs`);
    expect(await job({ action: 'stop', job_id: id })).toMatchObject({
      error: null,
      metadata: { job_id: id, state: 'exited', signal: 'SIGTERM' },
    });
    poll = await job({ action: 'poll', job_id: id, cursor: text(poll.metadata, 'next_cursor') });
    expect(poll).toMatchObject({ metadata: { state: 'exited', eof: true } });
    expect(running('sleep 635')).toEqual([]);
  });

  it('says of a job that has ended that there is nothing to send a signal to', async () => {
    const { metadata } = await bash('exit 4', { background: true });
    const id = text(metadata, 'job_id');
    await expect
      .poll(async () => (await job({ action: 'poll', job_id: id })).metadata, { timeout: 10_000 })
      .toMatchObject({ state: 'exited' });
    expect((await job({ action: 'poll', job_id: id })).output).toBe(
      `[${id} has exited (exit code 4)]\n`,
    );
    expect(await job({ action: 'stop', job_id: id, signal: 'SIGINT' })).toMatchObject({
      error: null,
      output: `${id} has exited (exit code 4); nothing of it runs any more.\n`,
    });
  });

  it('tells of jobs whose command lines are long, and of many processes, within its bounds', async () => {
    const long = `sleep 637 #${'x'.repeat(100_000)}`;
    const started = await bash(long, { background: true });
    const id = text(started.metadata, 'job_id');
    const shown = expect.stringMatching(/^sleep 637 #x{389}…$/u);
    expect(started.metadata['background_processes']).toMatchObject([{ command: shown }]);
    expect((await job({ action: 'poll', job_id: id })).metadata).toMatchObject({ command: shown });
    expect((await job({ action: 'list' })).output.length).toBeLessThan(50 * 450);
    await job({ action: 'stop', job_id: id });
    const many = await bash(`for i in $(seq 60); do sleep 638 & done; echo ${'y'.repeat(2_000)}`);
    const left = text(many.metadata, 'job_id');
    expect(many.metadata['background_processes']).toHaveLength(50);
    expect(many.metadata['background_processes_total']).toBe(60);
    await job({ action: 'stop', job_id: left });
    expect(running('sleep 638')).toEqual([]);
  });

  it('tells a command that is too long from one with a NUL', async () => {
    expect((await bash(`echo ${'y'.repeat(300_000)}`)).error).toMatchObject({
      type: 'invalid_argument',
      reason: 'command_too_long',
    });
    expect((await bash('echo a\0b')).error).toMatchObject({
      type: 'invalid_argument',
      reason: 'bad_command',
    });
  });

  it('sends a signal that the job can answer', async () => {
    const line = `trap 'echo caught; exit 9' INT; echo ready; sleep 636 & wait`;
    const { metadata } = await bash(line, { background: true });
    const id = text(metadata, 'job_id');
    const first = await pollNew(id);
    await job({ action: 'stop', job_id: id, signal: 'SIGINT' });
    const cursor = text(first.metadata, 'next_cursor');
    const poll = await pollNew(id, cursor);
    expect(poll.output).toMatch(/^caught\n/);
    // Ended only once its own exit has been told: it may not have come to that line yet.
    await expect
      .poll(async () => (await job({ action: 'poll', job_id: id, cursor })).metadata, {
        timeout: 10_000,
      })
      .toMatchObject({ exit_code: 9 });
    await job({ action: 'stop', job_id: id });
    expect((await job({ action: 'poll', job_id: id })).metadata).toMatchObject({
      exit_code: 9,
      state: 'exited',
    });
  });

  it('says what is wrong', async () => {
    expect((await job({ action: 'poll' })).error).toMatchObject({ type: 'invalid_argument' });
    expect((await job({ action: 'poll', job_id: 'job-99' })).error).toMatchObject({
      type: 'not_found',
      reason: 'no_such_job',
    });
    const { metadata } = await bash('true', { background: true });
    const id = text(metadata, 'job_id');
    for (const cursor of ['job-1:99', `${id}:99`, `${id}:x`, id]) {
      expect((await job({ action: 'poll', job_id: id, cursor })).error).toMatchObject({
        reason: 'bad_cursor',
      });
    }
    await job({ action: 'stop', job_id: id });
    expect((await job({ action: 'write', job_id: id, input: 'x' })).error).toMatchObject({
      reason: 'input_closed',
    });
  });

  it('runs a limited number at once', async () => {
    const results = [];
    for (let i = 0; i < 17; i += 1) results.push(await bash('sleep 637', { background: true }));
    expect(results.at(-1)?.error).toMatchObject({ type: 'limit_exceeded', reason: 'job_limit' });
    expect(results.at(-2)?.error).toBe(null);
    await Promise.all(
      results
        .slice(0, 16)
        .map(({ metadata }) => job({ action: 'stop', job_id: text(metadata, 'job_id') })),
    );
    expect(running('sleep 637')).toEqual([]);
  });

  it('ends with the session', async () => {
    const own = await openSession([bashTool(), bashJobTool()]);
    await own.session.tool('bash', { command: 'sleep 638', background: true });
    await own.session.tool('bash', { command: 'sleep 639 >/dev/null 2>&1 &' });
    await expect.poll(() => running('sleep 638'), { timeout: 10_000 }).toHaveLength(1);
    await own.session.close();
    expect(running('sleep 638')).toEqual([]);
    expect(running('sleep 639')).toEqual([]);
    await own.close();
  });
});

it('ends what a command leaves, where the host chose so', async () => {
  const own = await openSession([bashTool({ leftProcesses: 'end' })]);
  const result = await own.session.tool('bash', { command: 'sleep 640 & echo done' });
  expect(result.output).toMatch(
    /^done\n\[processes left in the background were ended: \d+ .*sleep 640.*\]\n$/,
  );
  expect(result.metadata).toMatchObject({ job_id: null });
  expect(running('sleep 640')).toEqual([]);
  await own.close();
});
