import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { run } from '../src/index.ts';

/** A command line of its own: workspace, home, streams. */
export function commandLine(files: Readonly<Record<string, string>> = {}) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'tw-cli-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const workspace = join(base, 'workspace');
  mkdirSync(workspace);
  for (const [path, content] of Object.entries(files))
    writeFileSync(join(workspace, path), content);
  const env: Record<string, string> = {
    XDG_STATE_HOME: join(base, 'state'),
    XDG_CONFIG_HOME: join(base, 'config'),
  };
  return {
    base,
    workspace,
    env,
    run: async (argv: readonly string[], input: string | Readable = '') => {
      const [stdout, stderr] = [new PassThrough(), new PassThrough()];
      const texts = Promise.all([textOf(stdout), textOf(stderr)]);
      const code = await run(argv, {
        stdin: typeof input === 'string' ? Readable.from([Buffer.from(input)]) : input,
        stdout,
        stderr,
        env,
        cwd: workspace,
      });
      stdout.end();
      stderr.end();
      const [out, err] = await texts;
      return { code, stdout: out, stderr: err };
    },
  };
}

async function textOf(stream: PassThrough): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
