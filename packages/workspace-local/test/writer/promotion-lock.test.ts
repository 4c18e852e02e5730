import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withPromotionLock } from '../../src/writer/promotion-lock.ts';

let stateDir = '';
let lock = '';

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'tw-lock-'));
  lock = join(stateDir, 'write.lock');
});

afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

const promote = async (work: () => Promise<string>): Promise<string> =>
  withPromotionLock({ root: stateDir, stateDir }, work);

test('the lock names its process while it is held, and goes with the work', async () => {
  const held = await promote(async () => readFileSync(lock, 'utf8'));
  expect(Number.parseInt(held, 10)).toBe(process.pid);
  expect(existsSync(lock)).toBe(false);
});

test('a lock whose maker was killed before it could write its name does not stay', async () => {
  writeFileSync(lock, '');
  utimesSync(lock, new Date(0), new Date(0));
  expect(await promote(async () => 'done')).toBe('done');
  expect(existsSync(lock)).toBe(false);
});

test('a lock that has just been made, and names nobody yet, is waited for', async () => {
  writeFileSync(lock, '');
  let ran = false;
  const waiting = promote(async () => {
    ran = true;
    return 'done';
  });
  await delay(40);
  expect(ran).toBe(false);
  unlinkSync(lock);
  expect(await waiting).toBe('done');
});

test('a lock of a process that is gone does not stay', async () => {
  const child = spawn('true');
  await once(child, 'close');
  writeFileSync(lock, `${child.pid} 1`);
  expect(await promote(async () => 'done')).toBe('done');
});

test('a lock of a process whose number another one has now does not stay', async () => {
  writeFileSync(lock, `${process.ppid} 1`);
  expect(await promote(async () => 'done')).toBe('done');
});

test('a lock of a process that lives is waited for', async () => {
  const own = await promote(async () => readFileSync(lock, 'utf8'));
  writeFileSync(lock, own);
  let ran = false;
  const waiting = promote(async () => {
    ran = true;
    return 'done';
  });
  await delay(40);
  expect(ran).toBe(false);
  unlinkSync(lock);
  expect(await waiting).toBe('done');
});
