import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { call, openLocalSession, temporaryFolder } from '../harness/local-session.mjs';

export const work =
  'a git repository of 2,000 files, 60 commits and 20 changed files, looked at through the tool';

export const comparisons = ['status', 'log', 'diff'].map((command) => ({
  row: `F3.${command}`,
  bar: 1.5,
  target: 1.2,
  anchor: `\`git ${command}\`, spawned from Node`,
  ours: `the \`git\` tool, ${command}`,
}));

const files = 2_000;
const commits = 60;
const changed = 20;
const shown = 50;
const start = promisify(execFile);

export async function measure(bench) {
  const { folder, remove } = temporaryFolder();
  const session = await openLocalSession(folder);
  try {
    makeRepository(folder);
    const git = async (...args) => (await start('git', args, { cwd: folder })).stdout;
    const compare = async (command, variants) =>
      bench.compare(`F3.${command}`, { rounds: 15, warmup: 2, ...variants });
    await compare('status', {
      anchor: () => git('status', '--porcelain=v2', '--branch'),
      ours: () => call(session, 'git', { command: 'status' }),
      check: (theirs, { output }) => everyIn(theirs.match(/dir\d+\/file\d+\.txt/gu), output),
    });
    await compare('log', {
      anchor: () => git('log', '-n', `${shown}`),
      ours: () => call(session, 'git', { command: 'log', limit: shown }),
      check: (theirs, { output }) => everyIn(theirs.match(/commit number \d+/gu), output),
    });
    await compare('diff', {
      anchor: () => git('diff'),
      ours: () => call(session, 'git', { command: 'diff' }),
      check: (theirs, { output }) => everyIn(theirs.match(/^\+changed .*$/gmu), output),
    });
  } finally {
    await session.close();
    remove();
  }
}

function makeRepository(folder) {
  const git = (...args) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Bench');
  git('config', 'user.email', 'bench@example.com');
  const path = (file) => join(folder, `dir${file % 40}`, `file${file}.txt`);
  for (let file = 0; file < files; file += 1) {
    mkdirSync(join(folder, `dir${file % 40}`), { recursive: true });
    writeFileSync(path(file), `file ${file}\n${'text\n'.repeat(50)}`);
  }
  git('add', '-A');
  for (let commit = 0; commit < commits; commit += 1) {
    writeFileSync(path(commit), `commit ${commit}\n`);
    git('commit', '-q', '-a', '--allow-empty', '-m', `commit number ${commit}`);
  }
  for (let file = 0; file < changed; file += 1) {
    writeFileSync(path(file * 7 + 500), `changed ${file}\n${'text\n'.repeat(50)}`);
  }
}

function everyIn(parts, output) {
  if (parts === null || parts.length === 0) throw new Error('git showed nothing');
  const missing = parts.find((part) => !output.includes(part));
  if (missing !== undefined) throw new Error(`the answer lacks ${JSON.stringify(missing)}`);
}
