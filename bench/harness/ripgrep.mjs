import { spawn } from 'node:child_process';

/** Runs ripgrep of `@vscode/ripgrep` over hidden files too, without `.git`; returns the lines that it printed, unsorted. */
export async function ripgrep(args, cwd) {
  const { rgPath } = await import('@vscode/ripgrep');
  const common = ['--no-config', '--hidden', '--glob=!.git', '--color=never'];
  return new Promise((resolve, reject) => {
    const child = spawn(rgPath, [...common, ...args], { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 2) reject(new Error(`rg ${args.join(' ')} failed`));
      else resolve(Buffer.concat(chunks));
    });
  });
}

/** The `path:line` of each row of `rg -n`, sorted. */
export function placesOf(output) {
  return rowsOf(output)
    .map((row) => /^(?:\.\/)?(.+?:\d+):/.exec(row)[1])
    .sort();
}

/** The rows that ripgrep printed, without `./`. */
export function rowsOf(output) {
  return output
    .toString()
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => row.replace(/^\.\//, ''));
}

/** The same of an outcome of ours. */
export function ourPlaces({ files }) {
  return files.flatMap(({ path, lines }) => lines.map(({ line }) => `${path}:${line}`)).sort();
}

/** Throws unless both lists hold the same. */
export function sameList(theirs, found) {
  const at = theirs.findIndex((row, index) => row !== found[index]);
  if (theirs.length !== found.length || at >= 0) {
    throw new Error(
      `the results differ: ${theirs.length} and ${found.length}, first ${theirs[at]} and ${found[at]}`,
    );
  }
}

/** A request of the scanner that asks for all lines of a pattern. */
export function grepRequest(pattern, options = {}) {
  return {
    pattern,
    literal: false,
    caseSensitive: true,
    multiline: false,
    path: '',
    hidden: true,
    ignore: true,
    gather: 'lines',
    context: 0,
    limit: 1_000_000,
    timeoutMs: 60_000,
    ...options,
  };
}
