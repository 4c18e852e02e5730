import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { call, openLocalSession, temporaryFolder } from '../harness/local-session.mjs';

export const work = 'a file of 1 GB: the second window, deep in it';

export const comparisons = [
  {
    row: 'F4',
    bar: 0.05,
    target: 0.02,
    anchor: 'the first `read`, which has to scan',
    ours: 'the next window of the same session',
  },
];

const blockLines = 100_000;
const blocks = 200;
const offset = 19_000_000;
const limit = 200;

export async function measure(bench) {
  const { folder, remove } = temporaryFolder();
  try {
    writeBlocks(join(folder, 'large.log'));
    const read = async (session, from) => {
      const started = performance.now();
      const { output } = await call(session, 'read', {
        file_path: 'large.log',
        offset: from,
        limit,
      });
      return { ms: performance.now() - started, output };
    };
    // One session gives both: the scan is long, and each window belongs to its own.
    const waiting = { anchor: [], ours: [] };
    const next = async (who) => {
      if (waiting[who].length === 0) {
        const session = await openLocalSession(folder);
        try {
          waiting.anchor.push(await read(session, offset));
          waiting.ours.push(await read(session, offset + limit));
        } finally {
          await session.close();
        }
      }
      return waiting[who].shift();
    };
    await bench.compare('F4', {
      anchor: () => next('anchor'),
      ours: () => next('ours'),
      check: (theirs, own) => {
        holds(theirs.output, offset);
        holds(own.output, offset + limit);
      },
      rounds: 5,
    });
  } finally {
    remove();
  }
}

/** 20 million lines of 50 bytes; each block repeats the same numbers. */
function writeBlocks(path) {
  const block = Buffer.from(
    Array.from({ length: blockLines }, (_, line) => `${textOf(line)}\n`).join(''),
  );
  const file = openSync(path, 'w');
  for (let count = 0; count < blocks; count += 1) writeSync(file, block);
  closeSync(file);
}

function textOf(line) {
  return `entry ${line % blockLines} `.padEnd(49, '.');
}

function holds(output, from) {
  for (let line = from; line < from + limit; line += 1) {
    if (!output.includes(textOf(line))) throw new Error(`line ${line} is missing`);
  }
}
