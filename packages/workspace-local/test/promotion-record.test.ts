import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { localWorkspace } from '../src/index.ts';
import { identityOf, type RecordedPromotion } from '../src/writer/promotion-record.ts';

let base = '';
let root = '';
let stateDir = '';
/** Of a process that has ended. */
let deadPid = 0;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'tw-record-'));
  root = join(base, 'root');
  stateDir = join(base, 'state');
  mkdirSync(root);
  mkdirSync(stateDir);
  deadPid = spawnSync('true').pid;
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

const at = (name: string): string => join(root, name);

/** Does what a promotion does up to some change, as a process that was then killed; returns its record. */
function interrupt(done: number): RecordedPromotion {
  for (const name of ['changed', 'deleted', 'mode']) writeFileSync(at(name), `old ${name}\n`);
  chmodSync(at('mode'), 0o640);
  const old = (name: string): string => {
    const path = at(`.tw-${deadPid}-${name.padEnd(16, '0').replaceAll(/[^0-9a-f]/g, 'a')}.old`);
    linkSync(at(name), path);
    return path;
  };
  const oldChanged = old('changed');
  const oldDeleted = old('deleted');
  const staged = at(`.tw-${deadPid}-0123456789abcdef.new`);
  writeFileSync(staged, 'new created\n');
  mkdirSync(at('sub/deep'), { recursive: true });
  const none = { old: null, created: null, mode: null };
  const record: RecordedPromotion = {
    changes: [
      { ...none, target: at('changed'), old: oldChanged },
      { ...none, target: at('sub/deep/created'), created: identityOf(staged) },
      { ...none, target: at('deleted'), old: oldDeleted },
      { ...none, target: at('mode'), mode: 0o640 },
    ],
    directories: [at('sub'), at('sub/deep')],
  };
  writeFileSync(join(stateDir, `promotion-${deadPid}.json`), JSON.stringify(record));
  const steps = [
    () => {
      writeFileSync(at('fresh'), 'new changed\n');
      renameSync(at('fresh'), at('changed'));
    },
    () => renameSync(staged, at('sub/deep/created')),
    () => unlinkSync(at('deleted')),
    () => chmodSync(at('mode'), 0o750),
  ];
  for (const step of steps.slice(0, done)) step();
  return record;
}

/** Everything below the root, and whether the record is still there. */
function found(): unknown {
  const files = readdirSync(root).toSorted();
  return {
    files: files.map((name) => [name, readFileSync(at(name), 'utf8')]),
    mode: statSync(at('mode')).mode & 0o777,
    record: existsSync(join(stateDir, `promotion-${deadPid}.json`)),
  };
}

const before = {
  files: [
    ['changed', 'old changed\n'],
    ['deleted', 'old deleted\n'],
    ['mode', 'old mode\n'],
  ],
  mode: 0o640,
  record: false,
};

test.each([0, 1, 2, 3, 4])(
  'a promotion that was killed after %i of its changes is put back on opening',
  async (done) => {
    interrupt(done);
    // Where it staged is known, as for every process that had begun to write.
    mkdirSync(join(stateDir, 'in-flight'));
    writeFileSync(join(stateDir, 'in-flight', String(deadPid)), `${JSON.stringify(root)}\n`);
    await localWorkspace(root, { stateDir }).close();
    expect(found()).toEqual(before);
  },
);

test('another process that is open already puts it back before it writes', async () => {
  const workspace = localWorkspace(root, { stateDir });
  interrupt(2);
  const transaction = await workspace.writer?.begin();
  const content = Buffer.from('x');
  const expected = { kind: 'absent' } as const;
  await transaction?.stage({ kind: 'write', path: 'other', content, expected });
  await transaction?.promoteAll();
  unlinkSync(at('other'));
  await workspace.close();
  expect(found()).toEqual(before);
});

test('what came after the killed process stays', async () => {
  interrupt(2);
  rmSync(at('sub/deep/created'));
  writeFileSync(at('sub/deep/created'), 'of somebody else\n');
  await localWorkspace(root, { stateDir }).close();
  expect(readFileSync(at('sub/deep/created'), 'utf8')).toBe('of somebody else\n');
});

test('a record of a process that runs, or that was cut off, is no reason to change anything', async () => {
  writeFileSync(at('f'), 'f\n');
  const running = join(stateDir, `promotion-${process.pid}.json`);
  const record = { changes: [{ target: at('f'), old: at('gone') }], directories: [] };
  writeFileSync(running, JSON.stringify(record));
  writeFileSync(join(stateDir, `promotion-${deadPid}.json`), '{"changes":[{"target":');
  await localWorkspace(root, { stateDir }).close();
  expect(readFileSync(at('f'), 'utf8')).toBe('f\n');
  expect(existsSync(running)).toBe(true);
});
