import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ArtifactRetention } from '../../src/artifacts/artifact-store.ts';
import { memoryArtifactStore } from '../../src/artifacts/memory-artifact-store.ts';
import { readArtifact } from '../../src/artifacts/read-artifact.ts';

// A Buffer, as Node's streams give them: its `slice` shares memory.
const bytes = (text: string) => Buffer.from(text);
const hex = (text: string) => createHash('sha256').update(text).digest('hex');
const uriOf = (text: string) => `a3s://tool-output/bash/${hex(text)}`;
const bash = { tool: 'bash' };

async function textAt(store: ReturnType<typeof memoryArtifactStore>, text: string) {
  const slice = await readArtifact(store, uriOf(text));
  return slice && new TextDecoder().decode(slice.bytes);
}

describe('a memory artifact store', () => {
  it('keeps content under the name of its content', async () => {
    const store = memoryArtifactStore();
    const content = bytes('first');
    const kept = await store.put(content, { ...bash, mediaType: 'text/csv' });
    const artifact = {
      uri: uriOf('first'),
      id: `tool-output:bash:${hex('first')}`,
      tool: 'bash',
      sha256: hex('first'),
      bytes: 5,
      mediaType: 'text/csv',
    };
    expect(kept).toEqual({ retained: true, created: true, artifact });
    content.fill(0);
    expect(await textAt(store, 'first')).toBe('first');
    expect(await store.stat(uriOf('first'))).toEqual(artifact);
    expect(await store.list()).toEqual([artifact]);
  });

  it('takes the same content again as no news', async () => {
    const store = memoryArtifactStore();
    await store.put(bytes('one'), bash);
    await store.put(bytes('two'), bash);
    expect(await store.put(bytes('one'), bash)).toMatchObject({ retained: true, created: false });
    expect((await store.list()).map(({ uri }) => uri)).toEqual([uriOf('two'), uriOf('one')]);
  });

  it('refuses other content under the same name and keeps the old one', async () => {
    const store = memoryArtifactStore();
    await store.put(bytes('one'), bash);
    const lie = { ...bash, sha256: () => hex('one') };
    expect(await store.put(bytes('two'), lie)).toEqual({ retained: false, reason: 'conflict' });
    expect(await store.put(bytes('longer'), lie)).toEqual({ retained: false, reason: 'conflict' });
    expect(await textAt(store, 'one')).toBe('one');
  });

  it('knows nothing of what it does not keep', async () => {
    const store = memoryArtifactStore();
    expect(await store.stat(uriOf('x'))).toBeUndefined();
    expect(await store.openRead(uriOf('x'))).toBeUndefined();
    expect(await store.pin(uriOf('x'), 'call-1')).toBe(false);
    expect(await store.list()).toEqual([]);
  });

  it.each([
    [{}, '0123456789'],
    [{ offset: 3 }, '3456789'],
    [{ offset: 3, length: 4 }, '3456'],
    [{ length: 4 }, '0123'],
    [{ offset: 8, length: 100 }, '89'],
    [{ offset: 10 }, ''],
    [{ offset: 11, length: 1 }, ''],
    [{ offset: 2, length: 0 }, ''],
  ])('reads the range %j', async (range, expected) => {
    const store = memoryArtifactStore();
    await store.put(bytes('0123456789'), bash);
    const slice = await readArtifact(store, uriOf('0123456789'), range);
    expect(new TextDecoder().decode(slice?.bytes)).toBe(expected);
    expect(slice?.artifact.bytes).toBe(10);
  });

  it('reads large content in chunks that cannot change it', async () => {
    const store = memoryArtifactStore();
    const text = 'x'.repeat(150_000);
    await store.put(bytes(text), bash);
    const opened = await store.openRead(uriOf(text));
    const lengths: number[] = [];
    for await (const chunk of opened?.chunks ?? []) {
      lengths.push(chunk.length);
      chunk.fill(0);
    }
    expect(lengths).toEqual([65_536, 65_536, 18_928]);
    expect(await textAt(store, text)).toBe(text);
  });

  it('evicts the oldest when the number is reached', async () => {
    const store = memoryArtifactStore({ maxArtifacts: 2 });
    for (const text of ['a', 'b', 'a', 'c']) await store.put(bytes(text), bash);
    expect((await store.list()).map(({ uri }) => uri)).toEqual([uriOf('a'), uriOf('c')]);
  });

  it('evicts as many of the oldest as the bytes need', async () => {
    const store = memoryArtifactStore({ maxBytes: 10 });
    for (const text of ['aaaa', 'bbb', 'ccc']) await store.put(bytes(text), bash);
    await store.put(bytes('ddddd'), bash);
    expect((await store.list()).map(({ uri }) => uri)).toEqual([uriOf('ccc'), uriOf('ddddd')]);
  });

  it('has room for 256 artifacts and 16 MiB', async () => {
    const store = memoryArtifactStore();
    for (let index = 0; index < 257; index += 1) await store.put(bytes(`n${index}`), bash);
    const kept = await store.list();
    expect(kept.length).toBe(256);
    expect(kept[0]?.uri).toBe(uriOf('n1'));
    const limit = 16 * 1024 * 1024;
    expect(await store.put(new Uint8Array(limit + 1), bash)).toEqual({
      retained: false,
      reason: 'too_large',
    });
    expect((await store.list()).length).toBe(256);
    expect(await store.put(new Uint8Array(limit), bash)).toMatchObject({ retained: true });
    expect((await store.list()).length).toBe(1);
  });

  it('never evicts what somebody holds, and refuses what then does not fit', async () => {
    const store = memoryArtifactStore({ maxArtifacts: 2, maxBytes: 10 });
    await store.put(bytes('held'), { ...bash, holder: 'call-1' });
    await store.put(bytes('free'), bash);
    expect(await store.put(bytes('1234567'), bash)).toEqual({ retained: false, reason: 'quota' });
    expect((await store.list()).length).toBe(2);
    expect(await store.put(bytes('123456'), bash)).toMatchObject({ retained: true });
    expect(await textAt(store, 'held')).toBe('held');
    expect(await textAt(store, 'free')).toBeUndefined();
    await store.pin(uriOf('123456'), 'call-2');
    expect(await store.put(bytes(''), bash)).toEqual({ retained: false, reason: 'quota' });
  });

  it('holds until every holder has released', async () => {
    const store = memoryArtifactStore({ maxArtifacts: 1 });
    await store.put(bytes('a'), { ...bash, holder: 'call-1' });
    await store.put(bytes('a'), { ...bash, holder: 'call-2' });
    const refused: ArtifactRetention = { retained: false, reason: 'quota' };
    expect(await store.put(bytes('b'), bash)).toEqual(refused);
    await store.release('call-1');
    await store.release('call-unknown');
    expect(await store.put(bytes('b'), bash)).toEqual(refused);
    await store.release('call-2');
    expect(await store.put(bytes('b'), bash)).toMatchObject({ retained: true });
  });
});

describe('a writer of a memory artifact store', () => {
  it('hashes while it writes and knows its URI at the end', async () => {
    const store = memoryArtifactStore();
    const writer = await store.openWriter({ ...bash, holder: 'call-1' });
    const reused = bytes('ab');
    await writer.write(reused);
    reused.set(bytes('cd'));
    await writer.write(reused);
    expect(await store.list()).toEqual([]);
    expect(await writer.finish()).toMatchObject({
      retained: true,
      created: true,
      artifact: { uri: uriOf('abcd'), bytes: 4 },
    });
    expect(await textAt(store, 'abcd')).toBe('abcd');
  });

  it('keeps nothing after an abort', async () => {
    const store = memoryArtifactStore();
    const writer = await store.openWriter(bash);
    await writer.write(bytes('ab'));
    await writer.abort();
    await writer.abort();
    await expect(writer.write(bytes('c'))).rejects.toThrow(TypeError);
    await expect(writer.finish()).rejects.toThrow(TypeError);
    expect(await store.list()).toEqual([]);
  });

  it('refuses as soon as the content cannot fit, without evicting anything', async () => {
    const store = memoryArtifactStore({ maxBytes: 4 });
    await store.put(bytes('old'), bash);
    const writer = await store.openWriter(bash);
    for (const part of ['abc', 'de', 'f']) await writer.write(bytes(part));
    expect(await writer.finish()).toEqual({ retained: false, reason: 'too_large' });
    expect(await textAt(store, 'old')).toBe('old');
  });

  it('is judged again at the end', async () => {
    const store = memoryArtifactStore({ maxArtifacts: 1 });
    const writer = await store.openWriter(bash);
    await writer.write(bytes('late'));
    await store.put(bytes('first'), { ...bash, holder: 'call-1' });
    expect(await writer.finish()).toEqual({ retained: false, reason: 'quota' });
  });

  it('uses the digest that its caller computed', async () => {
    const store = memoryArtifactStore();
    let asked = 0;
    const sha256 = () => {
      asked += 1;
      return hex('ab');
    };
    const writer = await store.openWriter({ ...bash, sha256 });
    await writer.write(bytes('ab'));
    expect(asked).toBe(0);
    expect(await writer.finish()).toMatchObject({ artifact: { uri: uriOf('ab') } });
    expect(asked).toBe(1);
  });
});
