import { mkdtempSync, readdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ArtifactStore } from '@toolwright/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { directoryArtifactStore } from '../../src/index.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tw-artifacts-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const bytes = (text: string) => new TextEncoder().encode(text);

async function keep(store: ArtifactStore, text: string, holder?: string): Promise<string> {
  const kept = await store.put(bytes(text), {
    tool: 'read',
    ...(holder === undefined ? {} : { holder }),
  });
  if (!kept.retained) throw new Error(kept.reason);
  return kept.artifact.uri;
}

async function textOf(
  store: ArtifactStore,
  uri: string,
  range?: { offset?: number; length?: number },
) {
  const read = await store.openRead(uri, range);
  const chunks: Uint8Array[] = [];
  if (read === undefined) return undefined;
  for await (const chunk of read.chunks) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

test('what one process kept, another reads, whole or in part', async () => {
  const uri = await keep(directoryArtifactStore(directory), 'hello world');
  const other = directoryArtifactStore(directory);
  expect(await textOf(other, uri)).toBe('hello world');
  expect(await textOf(other, uri, { offset: 6, length: 3 })).toBe('wor');
  expect(await textOf(other, uri, { offset: 11 })).toBe('');
  expect(await other.list()).toMatchObject([{ uri, bytes: 11, tool: 'read' }]);
  expect(await other.openRead(`${uri.slice(0, -1)}_`)).toBeUndefined();
});

test('keeping the same again is no second copy', async () => {
  const store = directoryArtifactStore(directory);
  await keep(store, 'a');
  expect(await store.put(bytes('a'), { tool: 'read' })).toMatchObject({
    retained: true,
    created: false,
  });
  expect(readdirSync(directory)).toHaveLength(2);
});

test('makes room by dropping the oldest that nobody holds, and refuses what does not fit', async () => {
  const store = directoryArtifactStore(directory, { maxBytes: 10 });
  const held = await keep(store, 'aaaa', 'call-1');
  const loose = await keep(store, 'bbbb');
  const next = await keep(store, 'cccc', 'call-2');
  expect((await store.list()).map(({ uri }) => uri).sort()).toEqual([held, next].sort());
  expect(await store.stat(loose)).toBeUndefined();
  expect(await store.put(bytes('dddd'), { tool: 'read' })).toEqual({
    retained: false,
    reason: 'quota',
  });
  expect(await store.put(bytes('x'.repeat(11)), { tool: 'read' })).toEqual({
    retained: false,
    reason: 'too_large',
  });
  await store.release('call-1');
  await keep(store, 'dddd');
  expect(await store.stat(held)).toBeUndefined();
  expect(readdirSync(directory).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('what is too old goes with the next that is kept', async () => {
  const store = directoryArtifactStore(directory, { maxAgeMs: 60_000 });
  const old = await keep(store, 'old');
  const past = new Date(Date.now() - 120_000);
  for (const name of readdirSync(directory)) utimesSync(join(directory, name), past, past);
  const fresh = await keep(store, 'new');
  expect((await store.list()).map(({ uri }) => uri)).toEqual([fresh]);
  expect(await store.stat(old)).toBeUndefined();
});

test('a writer that is dropped leaves nothing', async () => {
  const store = directoryArtifactStore(directory);
  const writer = await store.openWriter({ tool: 'bash' });
  await writer.write(bytes('half'));
  await writer.abort();
  await writer.abort();
  expect(readdirSync(directory)).toEqual([]);
});

const damages: readonly (readonly [string, (file: (ending: string) => string) => void])[] = [
  ['no JSON', (file) => writeFileSync(file('.json'), '{"uri":')],
  ['no record', (file) => writeFileSync(file('.json'), '{"uri":"a3s://x","bytes":-1}')],
  ['nothing', (file) => truncateSync(file('.json'))],
  ['a record whose content was cut', (file) => truncateSync(file('.bin'), 1)],
  ['a record whose content has gone', (file) => rmSync(file('.bin'))],
];

test.each(damages)(
  '%s is no artifact, hinders no other, and can be kept again',
  async (_, damage) => {
    const store = directoryArtifactStore(directory);
    const uri = await keep(store, 'damaged');
    const ending = (end: string): string =>
      readdirSync(directory).find((name) => name.endsWith(end)) ?? end;
    damage((end) => join(directory, ending(end)));
    expect(await store.stat(uri)).toBeUndefined();
    expect(await store.openRead(uri)).toBeUndefined();
    expect(await store.pin(uri, 'call-1')).toBe(false);
    const other = await keep(store, 'other');
    expect((await store.list()).map((artifact) => artifact.uri)).toEqual([other]);
    expect(await keep(store, 'damaged')).toBe(uri);
    expect(await textOf(store, uri)).toBe('damaged');
  },
);

test('what killed processes left goes after a day, what others may be writing stays', async () => {
  const names = ['aa.tmp', 'bb.bin', 'cc.json', 'mine.txt'];
  const past = new Date(Date.now() - 25 * 60 * 60 * 1000);
  for (const name of names) {
    writeFileSync(join(directory, name), 'left');
    utimesSync(join(directory, name), past, past);
  }
  writeFileSync(join(directory, 'dd.tmp'), 'at work');
  const store = directoryArtifactStore(directory);
  await keep(store, 'new');
  expect(
    readdirSync(directory)
      .filter((name) => !/^[0-9a-f]{40}\./.test(name))
      .sort(),
  ).toEqual(['dd.tmp', 'mine.txt']);
});

test('contents that are kept side by side share the quota', async () => {
  const store = directoryArtifactStore(directory, { maxBytes: 10 });
  const kept = await Promise.all(
    ['aaaa', 'bbbb', 'cccc', 'dddd'].map((text, index) =>
      store.put(bytes(text), { tool: 'read', holder: `call-${String(index)}` }),
    ),
  );
  expect(kept.filter(({ retained }) => retained)).toHaveLength(2);
  expect(await store.list()).toHaveLength(2);
  expect(readdirSync(directory)).toHaveLength(4);
});
