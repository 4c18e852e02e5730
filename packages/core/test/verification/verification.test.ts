import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VerificationLedger } from '../../src/verification/verification-ledger.ts';
import { verificationPresets } from '../../src/verification/verification-presets.ts';
import {
  reportStatus,
  toVerificationReport,
  type VerificationCheck,
} from '../../src/verification/verification-report.ts';
import { isVerified, summariseVerification } from '../../src/verification/verification-summary.ts';
import { verifyCommands, type CommandRun } from '../../src/verification/verify-commands.ts';

function check(more: Partial<VerificationCheck>): VerificationCheck {
  return {
    id: 'unit',
    kind: 'test',
    description: 'Run the tests',
    status: 'passed',
    required: true,
    suggested_tools: ['bash'],
    evidence_uris: [],
    ...more,
  };
}

const checks = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd'),
  status: fc.constantFrom('passed', 'failed', 'needs_review', 'skipped'),
  required: fc.boolean(),
});

describe('the status of a report', () => {
  it.each([
    [[], [], 'skipped'],
    [[check({})], [], 'passed'],
    [[check({ status: 'failed' })], [], 'failed'],
    [[check({ status: 'failed', required: false })], [], 'needs_review'],
    [[check({ status: 'skipped' })], [], 'needs_review'],
    [[check({ status: 'needs_review' })], [], 'needs_review'],
    [[check({ status: 'skipped', required: false })], [], 'passed'],
    [[check({})], ['something is uncertain'], 'needs_review'],
    [[check({ residual_risk: 'something is uncertain' })], [], 'needs_review'],
    [[check({ status: 'failed' })], ['something is uncertain'], 'failed'],
  ] as const)('%#', (list, risks, status) => {
    expect(reportStatus(list, risks)).toBe(status);
  });

  it('passes only when every required check passed and nothing failed', () => {
    fc.assert(
      fc.property(fc.array(checks), (list) => {
        const { status, checks: kept } = toVerificationReport('x', list.map(check));
        expect(new Set(kept.map(({ id }) => id)).size).toBe(kept.length);
        const clean = kept.every(
          (entry) => entry.status !== 'failed' && (!entry.required || entry.status === 'passed'),
        );
        expect(status === 'passed').toBe(clean && kept.length > 0);
      }),
    );
  });
});

describe('the summary', () => {
  it('counts the latest result of each check of each subject', () => {
    const failed = toVerificationReport('fix', [
      check({ status: 'failed' }),
      check({ id: 'lint' }),
    ]);
    const mended = toVerificationReport('fix', [check({})]);
    const other = toVerificationReport('docs', [check({ id: 'links', status: 'needs_review' })]);
    expect(summariseVerification([failed])).toMatchObject({
      status: 'failed',
      failed_check_count: 1,
      failed_subjects: ['fix'],
    });
    const summary = summariseVerification([failed, mended]);
    expect(summary).toEqual({
      status: 'passed',
      report_count: 2,
      required_check_count: 2,
      pending_required_check_count: 0,
      failed_check_count: 0,
      residual_risk_count: 0,
      pending_subjects: [],
      failed_subjects: [],
    });
    expect(isVerified(summary)).toBe(true);
    expect(summariseVerification([mended, failed]).status).toBe('failed');
    expect(summariseVerification([failed, mended, other])).toMatchObject({
      status: 'needs_review',
      pending_required_check_count: 1,
      pending_subjects: ['docs'],
    });
    expect(isVerified(summariseVerification([]))).toBe(false);
  });
});

describe('verifyCommands', () => {
  const command = (id: string, more: object = {}) => ({
    id,
    kind: 'test',
    description: id,
    command: id,
    required: true,
    ...more,
  });

  it('reports exit codes, evidence, and what could not be run', async () => {
    const runs: Record<string, CommandRun> = {
      ok: {
        ran: true,
        exitCode: 0,
        metadata: {
          stdout: { artifact_uri: 'a3s://b' },
          more: [{ artifact_uri: 'a3s://a' }, { artifact_uri: 'a3s://b' }, { artifact_uri: null }],
        },
      },
      red: { ran: true, exitCode: 1, metadata: {} },
      three: { ran: true, exitCode: 3, metadata: {} },
      killed: { ran: true, exitCode: null, metadata: {} },
      absent: { ran: false, message: 'no shell' },
    };
    const report = await verifyCommands(
      'all',
      [
        command('ok'),
        command('red', { required: false }),
        command('three', { expectExit: 3 }),
        command('killed'),
        command('absent'),
      ],
      { runCommand: async (line) => runs[line] ?? { ran: false, message: '?' }, effectDigest: 'd' },
    );
    expect(report).toMatchObject({
      schema: 'a3s.verification_report.v1',
      status: 'failed',
      effect_digest: 'd',
      residual_risks: ['absent: could not be run: no shell'],
      checks: [
        { id: 'ok', status: 'passed', evidence_uris: ['a3s://a', 'a3s://b'] },
        { id: 'red', status: 'failed', required: false },
        { id: 'three', status: 'passed' },
        { id: 'killed', status: 'failed' },
        { id: 'absent', status: 'needs_review' },
      ],
    });
    await expect(
      verifyCommands('x', [command('a'), command('a')], {
        runCommand: async () => ({ ran: false, message: '' }),
      }),
    ).rejects.toThrow(TypeError);
  });

  it('runs side by side only what changes nothing, and in order', async () => {
    let running = 0;
    const seen: string[] = [];
    const report = await verifyCommands(
      'x',
      [
        command('lint', { kind: 'lint' }),
        command('types', { kind: 'typecheck' }),
        command('fix', { kind: 'lint', parallel: false }),
        command('test'),
      ],
      {
        runCommand: async (line) => {
          running += 1;
          seen.push(`${line}:${running}`);
          await Promise.resolve();
          running -= 1;
          return { ran: true, exitCode: 0, metadata: null };
        },
      },
    );
    expect(seen).toEqual(['lint:1', 'types:2', 'fix:1', 'test:1']);
    expect(report.checks.map(({ id }) => id)).toEqual(['lint', 'types', 'fix', 'test']);
  });

  it('skips what has not begun when it is aborted', async () => {
    const controller = new AbortController();
    const report = await verifyCommands('x', [command('a'), command('b')], {
      signal: controller.signal,
      runCommand: async () => {
        controller.abort();
        return { ran: true, exitCode: 0, metadata: null };
      },
    });
    expect(report.checks.map(({ status }) => status)).toEqual(['passed', 'skipped']);
    expect(report.status).toBe('needs_review');
  });

  it.each([
    ['timeout_ms', 'timeoutMs'],
    ['expect_exit', 'expectExit'],
  ])(
    'refuses a field that there is not (%s): it would be a check that nobody makes',
    async (given, meant) => {
      await expect(
        verifyCommands('x', [command('a', { [given]: 1 })], {
          runCommand: async () => ({ ran: true, exitCode: 0, metadata: {} }),
        }),
      ).rejects.toThrow(
        `verification command "a" has no option "${given}"; did you mean ${meant}?`,
      );
    },
  );
});

describe('the ledger', () => {
  it('knows its own reports, and no copy of one', async () => {
    const ledger = new VerificationLedger();
    const options = {
      runCommand: async () => ({ ran: true as const, exitCode: 0, metadata: null }),
      effectDigest: 'now',
    };
    const commands = [{ id: 'a', kind: 'test', description: 'a', command: 'a', required: true }];
    const report = await ledger.verify('x', commands, options);
    expect(ledger.issued(report)).toBe(true);
    expect(ledger.issued({ ...report })).toBe(false);
    expect(ledger.reports()).toEqual([report]);
    expect(isVerified(ledger.summary('now'))).toBe(true);
    expect(isVerified(ledger.summary('then'))).toBe(false);
  });
});

describe('presets', () => {
  const presets = async (files: Record<string, string>): Promise<unknown> =>
    (await verificationPresets(async (path) => files[path] ?? null)).map(
      ({ command, required }) => `${required === true ? '!' : ''}${command}`,
    );

  it('follow the files of the project', async () => {
    expect(await presets({})).toEqual([]);
    expect(await presets({ 'Cargo.toml': '' })).toEqual([
      '!cargo fmt --all -- --check',
      '!cargo check --all-targets',
      '!cargo test',
      'cargo clippy --all-targets -- -D warnings',
    ]);
    expect(await presets({ 'go.mod': '' })).toEqual(['!go test ./...', 'go vet ./...']);
    expect(await presets({ 'pytest.ini': '' })).toEqual(['!python -m pytest']);
    expect(await presets({ 'pyproject.toml': '[tool.ruff]\n[tool.mypy]' })).toEqual([
      '!python -m pytest',
      'python -m ruff check .',
      'python -m mypy .',
    ]);
  });

  it('take the scripts and the manager of a package', async () => {
    const scripts = { test: 'vitest', lint: 'oxlint', build: 'tsc', typecheck: 1 };
    const manifest = (more: object): string => JSON.stringify({ scripts, ...more });
    expect(await presets({ 'package.json': manifest({}) })).toEqual([
      'npm run lint',
      '!npm run test',
    ]);
    expect(await presets({ 'package.json': manifest({ packageManager: 'pnpm@10.1.0' }) })).toEqual([
      'pnpm run lint',
      '!pnpm run test',
    ]);
    expect(await presets({ 'package.json': manifest({}), 'yarn.lock': '' })).toEqual([
      'yarn run lint',
      '!yarn run test',
    ]);
    const placeholder = { test: 'echo "Error: no test specified" && exit 1' };
    expect(await presets({ 'package.json': manifest({ scripts: placeholder }) })).toEqual([]);
    for (const broken of ['{', '[]', '{"scripts":[]}']) {
      expect(await presets({ 'package.json': broken })).toEqual([]);
    }
  });
});
