import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { call, openLocalSession, temporaryFolder } from '../harness/local-session.mjs';

export const work = 'a file of 1 MB: a window of 200 lines from its middle, and one replacement';

export const comparisons = [
  {
    row: 'F1.again',
    bar: 2,
    target: 1.5,
    anchor: 'read the file and slice the lines out',
    ours: '`read` of a file that was read before',
  },
  {
    row: 'F1.first',
    bar: 1.5,
    target: 1.2,
    anchor: 'the same and SHA-256 of the file',
    ours: '`read` of a file for the first time',
  },
  {
    row: 'F1.edit',
    bar: 1.5,
    target: 1.2,
    anchor: 'read, replace, SHA-256 of before and after, write, fsync, rename',
    ours: '`edit`',
  },
];

const lines = 20_000;
const offset = 10_000;
const limit = 200;
const batch = 10;

export async function measure(bench) {
  const { folder, remove } = temporaryFolder();
  const session = await openLocalSession(folder);
  try {
    await again(bench, folder, session);
    await first(bench, folder, session);
    await edit(bench, folder, session);
  } finally {
    await session.close();
    remove();
  }
}

async function again(bench, folder, session) {
  writeFileSync(join(folder, 'again.txt'), textOf('again'));
  const args = { file_path: 'again.txt', offset, limit };
  await bench.compare('F1.again', {
    anchor: () => repeat(async () => windowOf(await readFile(join(folder, 'again.txt'), 'utf8'))),
    ours: () => repeat(() => call(session, 'read', args)),
    check: sameWindow,
    rounds: 9,
    warmup: 3,
    calls: batch,
  });
}

async function first(bench, folder, session) {
  let next = 0;
  const fresh = () =>
    Array.from({ length: batch }, () => {
      const name = `first-${(next += 1)}.txt`;
      writeFileSync(join(folder, name), textOf('first'));
      return name;
    });
  const timed = async (work) => {
    const names = fresh();
    const started = performance.now();
    let last;
    for (const name of names) last = await work(name);
    return { ms: performance.now() - started, last };
  };
  await bench.compare('F1.first', {
    anchor: () =>
      timed(async (name) => {
        const bytes = await readFile(join(folder, name));
        createHash('sha256').update(bytes).digest('hex');
        return windowOf(bytes.toString('utf8'));
      }),
    ours: () => timed((name) => call(session, 'read', { file_path: name, offset, limit })),
    check: (expected, result) => sameWindow(expected.last, result.last),
    rounds: 9,
    warmup: 2,
    calls: batch,
  });
}

async function edit(bench, folder, session) {
  const file = { anchor: join(folder, 'anchor.txt'), ours: join(folder, 'ours.txt') };
  for (const path of Object.values(file)) writeFileSync(path, `state 0\n${textOf('edit')}`);
  const state = { anchor: 0, ours: 0 };
  const step = (who) => [`state ${state[who]}\n`, `state ${(state[who] += 1)}\n`];
  await bench.compare('F1.edit', {
    anchor: () =>
      repeat(async () => {
        const [from, to] = step('anchor');
        const before = await readFile(file.anchor);
        createHash('sha256').update(before).digest('hex');
        const after = Buffer.from(before.toString('utf8').replace(from, to));
        createHash('sha256').update(after).digest('hex');
        const handle = await open(`${file.anchor}.tmp`, 'w');
        await handle.writeFile(after);
        await handle.sync();
        await handle.close();
        await rename(`${file.anchor}.tmp`, file.anchor);
      }),
    ours: () =>
      repeat(() => {
        const [from, to] = step('ours');
        return call(session, 'edit', { file_path: 'ours.txt', old_string: from, new_string: to });
      }),
    check: async () => {
      if (!(await readFile(file.anchor)).equals(await readFile(file.ours))) {
        throw new Error('the files differ');
      }
    },
    rounds: 9,
    warmup: 2,
    calls: batch,
  });
}

async function repeat(work) {
  let last;
  for (let done = 0; done < batch; done += 1) last = await work();
  return last;
}

function textOf(name) {
  return Array.from(
    { length: lines },
    (_, line) => `${name} line ${line} ${'.'.repeat(30)}\n`,
  ).join('');
}

function windowOf(text) {
  let start = 0;
  for (let line = 0; line < offset; line += 1) start = text.indexOf('\n', start) + 1;
  let end = start;
  for (let line = 0; line < limit; line += 1) end = text.indexOf('\n', end) + 1;
  return text.slice(start, end);
}

function sameWindow(expected, { output }) {
  for (const line of expected.trimEnd().split('\n')) {
    if (!output.includes(line)) throw new Error(`the answer lacks ${JSON.stringify(line)}`);
  }
}
