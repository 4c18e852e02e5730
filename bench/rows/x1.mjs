import { spawn } from 'node:child_process';
import { temporaryFolder } from '../harness/local-session.mjs';
import { ours } from '../harness/packages.mjs';

export const work = 'start `/bin/true`, collect its output, and see it end';

export const comparisons = [
  {
    row: 'X1.small',
    bar: 1.5,
    target: 1.25,
    anchor: '`spawn` of Node from a small process',
    ours: '`processes.spawn` of the local workspace, not sandboxed',
  },
  {
    row: 'X1.large',
    bar: 0.15,
    target: 0.08,
    anchor: '`spawn` of Node from a process of 1 GiB',
    ours: 'the same from there',
  },
];

const batch = 10;
const ballast = 2 ** 30;

export async function measure(bench) {
  const { folder, remove } = temporaryFolder();
  const { localWorkspace } = await ours('workspace-local');
  const workspace = localWorkspace(folder);
  try {
    const variants = {
      anchor: () => repeat(raw),
      ours: () => repeat(() => own(workspace)),
      check: (theirs, result) => {
        if (theirs !== 0 || result !== 0) throw new Error('a command failed');
      },
      rounds: 11,
      warmup: 3,
      calls: batch,
    };
    await bench.compare('X1.small', variants);
    const held = Buffer.alloc(ballast, 1);
    await bench.compare('X1.large', variants);
    if (held[ballast - 1] !== 1) throw new Error('the memory was not held');
  } finally {
    await workspace.close();
    remove();
  }
}

function raw() {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/true', [], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.resume();
    child.stderr.resume();
    child.on('error', reject);
    child.on('close', resolve);
  });
}

async function own(workspace) {
  const handle = await workspace.processes.spawn({
    command: { kind: 'program', file: '/bin/true', args: [] },
    sandbox: 'unconfined',
  });
  for await (const piece of handle.output) if (piece.bytes.length > 0) throw new Error('output');
  const { exitCode } = await handle.exit;
  await handle.close();
  return exitCode;
}

async function repeat(work) {
  let last;
  for (let done = 0; done < batch; done += 1) last = await work();
  return last;
}
