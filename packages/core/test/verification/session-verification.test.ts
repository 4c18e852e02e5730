import { afterEach, describe, expect, it } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  SessionClosedError,
  ToolError,
  type Session,
  type Tool,
  type VerificationCommand,
} from '../../src/index.ts';

const opened: Session[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((session) => session.close()));
});

/** Stands for a shell: `exit N` exits so, `wait` runs until `release` is called, anything else fails before it runs. */
function shell() {
  const running = new Set<string>();
  const seen: string[][] = [];
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const tool: Tool = defineTool({
    name: 'bash',
    description: 'Runs a command.',
    input: {
      type: 'object',
      properties: {
        command: { type: 'string' },
        timeout: { type: 'integer' },
        sandbox_permissions: { type: 'string' },
        justification: { type: 'string' },
      },
      required: ['command'],
      additionalProperties: false,
    },
    effects: ({ command }) => [{ kind: 'exec', target: command }],
    async run({ command }) {
      running.add(command);
      seen.push([...running]);
      if (command.startsWith('wait')) await gate;
      running.delete(command);
      const code = /^exit (\d+)$/.exec(command)?.[1];
      if (code === undefined && !command.startsWith('wait')) {
        throw new ToolError('unsupported', 'There is no such shell.');
      }
      const exitCode = Number(code ?? 0);
      const metadata = {
        exit_code: exitCode,
        stdout: { artifact_uri: `a3s://tool-output/bash/${'0'.repeat(64)}` },
        verification_report: { schema: 'a3s.verification_report.v1', status: 'passed' },
      };
      return { output: '', metadata, exitCode: exitCode === 0 ? 0 : 1 };
    },
  });
  return { tool, seen, release: () => release() };
}

const put: Tool = defineTool({
  name: 'put',
  description: 'Writes a file.',
  input: {
    type: 'object',
    properties: { path: { type: 'string' }, text: { type: 'string' } },
    required: ['path', 'text'],
    additionalProperties: false,
  },
  requires: ['files.write'],
  effects: ({ path }) => [{ kind: 'write', target: path }],
  async run({ path, text }, context) {
    const transaction = await context.workspace.writer.begin();
    await transaction.stage({
      kind: 'write',
      path,
      content: new TextEncoder().encode(text),
      expected: { kind: 'any' },
    });
    await transaction.promoteAll();
    return { output: 'written' };
  },
});

async function open(tools: readonly Tool[], files: Record<string, string> = {}): Promise<Session> {
  const host = createHost({
    providers: [defineProvider({ name: 'shell', version: '1.0.0', tools })],
  });
  const session = await host.open({ workspace: memoryWorkspace({ files }) });
  opened.push(session);
  return session;
}

function command(id: string, line: string, more: object = {}): VerificationCommand {
  return { id, kind: 'test', description: id, command: line, required: true, ...more };
}

describe('verifyCommands of a session', () => {
  it('judges exit codes, keeps evidence, and says what could not be run', async () => {
    const session = await open([shell().tool]);
    const report = await session.verifyCommands('the fix', [
      command('green', 'exit 0'),
      command('three', 'exit 3', { expectExit: 3 }),
      command('red', 'exit 1'),
      command('odd', 'nonsense'),
    ]);
    expect(report).toEqual({
      schema: 'a3s.verification_report.v1',
      subject: 'the fix',
      status: 'failed',
      checks: [
        expect.objectContaining({
          id: 'green',
          status: 'passed',
          evidence_uris: [`a3s://tool-output/bash/${'0'.repeat(64)}`],
        }),
        expect.objectContaining({ id: 'three', status: 'passed' }),
        expect.objectContaining({ id: 'red', status: 'failed' }),
        expect.objectContaining({ id: 'odd', status: 'needs_review' }),
      ],
      residual_risks: ['odd: could not be run: There is no such shell.'],
      effect_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
    const { verification } = session;
    expect(verification.issued(report)).toBe(true);
    expect(verification.issued(structuredClone(report))).toBe(false);
    expect(Object.isFrozen(report) && Object.isFrozen(report.checks[0])).toBe(true);
  });

  it('needs a review where there is no shell', async () => {
    const session = await open([put]);
    const report = await session.verifyCommands('x', [command('test', 'exit 0')]);
    expect(report.status).toBe('needs_review');
    expect(session.verification.isVerified()).toBe(false);
  });

  it('takes no report from what a tool says of itself', async () => {
    const session = await open([shell().tool]);
    const { metadata } = await session.tool('bash', { command: 'exit 0' });
    expect(metadata['verification_report']).toBeDefined();
    expect(session.verification.reports()).toEqual([]);
    expect(session.verification.summary().report_count).toBe(0);
    expect(session.verification.isVerified()).toBe(false);
  });

  it('counts the latest result of a check, and only for the files as they are now', async () => {
    const session = await open([shell().tool, put]);
    const { verification } = session;
    await session.verifyCommands('fix', [command('unit', 'exit 1')]);
    expect(verification.isVerified()).toBe(false);
    await session.tool('put', { path: 'a.txt', text: 'mended' });
    await session.verifyCommands('fix', [command('unit', 'exit 0')]);
    expect(verification.isVerified()).toBe(true);
    expect(verification.summary()).toMatchObject({ status: 'passed', report_count: 2 });
    await session.tool('put', { path: 'a.txt', text: 'changed once more' });
    expect(verification.isVerified()).toBe(false);
  });

  it('runs checks that change nothing side by side, beside nothing else', async () => {
    const { tool, seen, release } = shell();
    const session = await open([tool, put]);
    const verifying = session.verifyCommands('x', [
      command('lint', 'wait 1', { kind: 'lint' }),
      command('types', 'wait 2', { kind: 'typecheck' }),
      command('unit', 'exit 0'),
    ]);
    while (seen.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(seen.at(-1)).toEqual(['wait 1', 'wait 2']);
    let hasWritten = false;
    const writing = session.tool('put', { path: 'a.txt', text: 'x' }).then((result) => {
      hasWritten = true;
      return result;
    });
    const further = session.tool('bash', { command: 'exit 0' });
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(hasWritten).toBe(false);
    expect(seen).toHaveLength(2);
    release();
    expect((await verifying).status).toBe('passed');
    expect((await writing).exit_code).toBe(0);
    expect((await further).exit_code).toBe(0);
    expect(seen.slice(2).every((running) => running.length === 1)).toBe(true);
  });

  it('skips what has not begun when it is aborted', async () => {
    const { tool, seen } = shell();
    const session = await open([tool]);
    const checks = [
      command('lint', 'exit 0', { kind: 'lint' }),
      command('types', 'exit 0', { kind: 'typecheck' }),
    ];
    const report = await session.verifyCommands('x', checks, { signal: AbortSignal.abort() });
    expect(report.checks.map(({ status }) => status)).toEqual(['skipped', 'skipped']);
    expect(seen).toEqual([]);
  });

  it('ends with its session', async () => {
    const { tool, release } = shell();
    const session = await open([tool]);
    const verifying = session.verifyCommands('x', [command('a', 'wait'), command('b', 'exit 0')]);
    const closing = session.close();
    release();
    await closing;
    await expect(verifying).rejects.toThrow(SessionClosedError);
    await expect(session.verifyCommands('x', [])).rejects.toThrow(SessionClosedError);
  });

  it('suggests the checks of the project', async () => {
    const manifest = JSON.stringify({ scripts: { test: 'node --test', lint: 'eslint .' } });
    const session = await open([], { 'package.json': manifest, 'pnpm-lock.yaml': '' });
    const presets = await session.verification.presets();
    expect(presets.map(({ command: line, required }) => [line, required])).toEqual([
      ['pnpm run lint', false],
      ['pnpm run test', true],
    ]);
  });
});
