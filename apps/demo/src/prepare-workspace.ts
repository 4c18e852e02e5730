import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The directory that the agent works in. */
export interface PreparedWorkspace {
  readonly directory: string;
  /** A copy that goes when the demo ends. */
  readonly isCopy: boolean;
  /** Removes a copy; leaves the user's project alone. */
  clean(): void;
}

/** The user's project as it is, or a fresh copy of the sample under git, so that its diff can be shown. */
export function prepareWorkspace(own: string | undefined, cwd: string): PreparedWorkspace {
  if (own !== undefined) return { directory: resolve(cwd, own), isCopy: false, clean: () => {} };
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-demo-')));
  cpSync(fileURLToPath(new URL('../sample', import.meta.url)), directory, { recursive: true });
  const git = (...args: readonly string[]): void => {
    execFileSync('git', args, { cwd: directory, stdio: 'ignore' });
  };
  try {
    git('init', '-q');
    git('add', '-A');
    git(
      '-c',
      'user.name=demo',
      '-c',
      'user.email=demo@example.invalid',
      'commit',
      '-qm',
      'As it was',
    );
  } catch {
    // Without git the job is the same; only the diff at its end is told by the edit tool alone.
  }
  return {
    directory,
    isCopy: true,
    clean: () => rmSync(directory, { recursive: true, force: true }),
  };
}
