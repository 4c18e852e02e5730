import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import {
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  type FileHandle,
} from 'node:fs/promises';
import { join } from 'node:path';
import {
  toArtifactId,
  toArtifactUri,
  type ArtifactInfo,
  type ArtifactRetention,
  type ArtifactStore,
  type ArtifactWriteOptions,
  type ArtifactWriter,
  type NotRetainedReason,
} from '@toolwright/core';
import { codeOf } from '../files/local-paths.ts';
import { parseArtifactRecord } from './parse-artifact-record.ts';

/** The quota of a directory store. */
export interface DirectoryArtifactStoreOptions {
  /** Bytes of content over all artifacts. Default 256 MiB. */
  readonly maxBytes?: number;
  /** Milliseconds that an artifact nobody holds stays. Default seven days. */
  readonly maxAgeMs?: number;
}

const defaultMaxBytes = 256 * 1024 * 1024;
const defaultMaxAgeMs = 7 * 24 * 60 * 60 * 1000;
/** Milliseconds after which a file that belongs to no artifact is taken for what a killed process left. */
const leftoverAgeMs = 24 * 60 * 60 * 1000;

interface Kept {
  readonly info: ArtifactInfo;
  readonly keptAtMs: number;
}

/**
 * Artifacts as files of a directory: one content and one record each, written aside, synced and renamed, so that what is
 * there is whole; one whose record or content was damaged all the same is not there. Content that nobody of this process
 * holds goes when it is too old or room is needed, oldest first; what killed processes left goes after a day.
 */
export function directoryArtifactStore(
  directory: string,
  options: DirectoryArtifactStoreOptions = {},
): ArtifactStore {
  return new DirectoryArtifactStore(directory, options);
}

class DirectoryArtifactStore implements ArtifactStore {
  readonly #directory: string;
  readonly #maxBytes: number;
  readonly #maxAgeMs: number;
  readonly #holders = new Map<string, Set<string>>();
  /** The last promotion: side by side, each would count the same room as free. */
  #promoted: Promise<unknown> = Promise.resolve();

  constructor(directory: string, options: DirectoryArtifactStoreOptions) {
    this.#directory = directory;
    this.#maxBytes = options.maxBytes ?? defaultMaxBytes;
    this.#maxAgeMs = options.maxAgeMs ?? defaultMaxAgeMs;
  }

  async put(content: Uint8Array, options: ArtifactWriteOptions): Promise<ArtifactRetention> {
    const writer = await this.openWriter(options);
    await writer.write(content);
    return writer.finish();
  }

  async openWriter(options: ArtifactWriteOptions): Promise<ArtifactWriter> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const temporary = this.#temporary();
    const handle = await open(temporary, 'wx', 0o600);
    return new FileWriter({
      handle,
      temporary,
      maxBytes: this.#maxBytes,
      promote: (content) => this.#promote(temporary, { ...options, ...content }),
    });
  }

  async stat(uri: string): Promise<ArtifactInfo | undefined> {
    return (await this.#record(uri))?.info;
  }

  async openRead(
    uri: string,
    range: { readonly offset?: number; readonly length?: number } = {},
  ): Promise<
    { readonly artifact: ArtifactInfo; readonly chunks: AsyncIterable<Uint8Array> } | undefined
  > {
    const artifact = await this.stat(uri);
    if (artifact === undefined) return undefined;
    const start = Math.min(range.offset ?? 0, artifact.bytes);
    const end = Math.min(start + (range.length ?? artifact.bytes), artifact.bytes);
    const file = this.#contentFile(uri);
    return {
      artifact,
      chunks: start === end ? none() : createReadStream(file, { start, end: end - 1 }),
    };
  }

  async pin(uri: string, holder: string): Promise<boolean> {
    if ((await this.stat(uri)) === undefined) return false;
    this.#hold(uri, holder);
    return true;
  }

  async release(holder: string): Promise<void> {
    for (const [uri, holders] of this.#holders) {
      holders.delete(holder);
      if (holders.size === 0) this.#holders.delete(uri);
    }
  }

  async list(): Promise<readonly ArtifactInfo[]> {
    return (await this.#all(await this.#names())).map(({ info }) => info);
  }

  #promote(
    temporary: string,
    content: ArtifactWriteOptions & { readonly digest: string; readonly bytes: number },
  ): Promise<ArtifactRetention> {
    const promoted = this.#promoted.then(() => this.#promoteNext(temporary, content));
    this.#promoted = promoted.catch(() => {});
    return promoted;
  }

  async #promoteNext(
    temporary: string,
    content: ArtifactWriteOptions & { readonly digest: string; readonly bytes: number },
  ): Promise<ArtifactRetention> {
    const uri = toArtifactUri(content.tool, content.digest);
    try {
      const known = await this.#record(uri);
      if (known !== undefined) {
        const now = new Date();
        await utimes(this.#recordFile(uri), now, now);
        this.#hold(uri, content.holder);
        return { retained: true, artifact: known.info, created: false };
      }
      const refusal = await this.#makeRoom(content.bytes);
      if (refusal !== undefined) return { retained: false, reason: refusal };
      const artifact: ArtifactInfo = {
        uri,
        id: toArtifactId(content.tool, content.digest),
        tool: content.tool,
        sha256: content.digest,
        bytes: content.bytes,
        mediaType: content.mediaType ?? 'text/plain; charset=utf-8',
      };
      await rename(temporary, this.#contentFile(uri));
      await this.#writeRecord(artifact);
      this.#hold(uri, content.holder);
      return { retained: true, artifact, created: true };
    } finally {
      await rm(temporary, { force: true });
    }
  }

  /** The record comes last: an artifact without one is not there. */
  async #writeRecord(artifact: ArtifactInfo): Promise<void> {
    const record = this.#temporary();
    try {
      const handle = await open(record, 'wx', 0o600);
      try {
        await handle.writeFile(JSON.stringify(artifact));
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(record, this.#recordFile(artifact.uri));
    } catch (error) {
      await rm(record, { force: true });
      await rm(this.#contentFile(artifact.uri), { force: true });
      throw error;
    }
  }

  /** Drops what is too old, then the oldest until the new content fits; says why when it cannot. */
  async #makeRoom(bytes: number): Promise<NotRetainedReason | undefined> {
    if (bytes > this.#maxBytes) return 'too_large';
    const names = await this.#names();
    const all = await this.#all(names);
    await this.#dropLeftovers(names, all);
    let used = all.reduce((sum, { info }) => sum + info.bytes, 0);
    for (const { info, keptAtMs } of all) {
      const tooOld = Date.now() - keptAtMs > this.#maxAgeMs;
      if (!tooOld && used + bytes <= this.#maxBytes) continue;
      if (this.#holders.has(info.uri)) continue;
      await rm(this.#recordFile(info.uri), { force: true });
      await rm(this.#contentFile(info.uri), { force: true });
      used -= info.bytes;
    }
    return used + bytes <= this.#maxBytes ? undefined : 'quota';
  }

  /** Files of no artifact: half written by a process that was killed, or damaged. Others may be writing, so only old ones go. */
  async #dropLeftovers(names: readonly string[], all: readonly Kept[]): Promise<void> {
    const kept = new Set(all.map(({ info }) => nameOf(info.uri)));
    for (const name of names) {
      const [, stem = ''] = /^([0-9a-f]+)\.(?:tmp|bin|json)$/.exec(name) ?? [];
      if (stem === '' || kept.has(stem)) continue;
      const file = join(this.#directory, name);
      const found = await statOf(file);
      if (found !== undefined && Date.now() - found.mtimeMs > leftoverAgeMs) {
        await rm(file, { force: true });
      }
    }
  }

  async #names(): Promise<readonly string[]> {
    try {
      return await readdir(this.#directory);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    }
  }

  /** All that is kept, oldest first. */
  async #all(names: readonly string[]): Promise<readonly Kept[]> {
    const kept: Kept[] = [];
    for (const name of names) {
      if (!name.endsWith('.json')) continue;
      const one = await this.#read(join(this.#directory, name));
      if (one !== undefined) kept.push(one);
    }
    return kept.sort((a, b) => a.keptAtMs - b.keptAtMs);
  }

  #record(uri: string): Promise<Kept | undefined> {
    return this.#read(this.#recordFile(uri));
  }

  /** What a record says, where the content that it speaks of is there in whole. */
  async #read(file: string): Promise<Kept | undefined> {
    try {
      const [text, { mtimeMs }] = await Promise.all([readFile(file, 'utf8'), stat(file)]);
      const info = parseArtifactRecord(text);
      if (info === undefined || this.#recordFile(info.uri) !== file) return undefined;
      const content = await statOf(this.#contentFile(info.uri));
      return content?.size === info.bytes ? { info, keptAtMs: mtimeMs } : undefined;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  #hold(uri: string, holder: string | undefined): void {
    if (holder === undefined) return;
    const holders = this.#holders.get(uri) ?? new Set<string>();
    holders.add(holder);
    this.#holders.set(uri, holders);
  }

  #temporary(): string {
    return join(this.#directory, `${randomBytes(12).toString('hex')}.tmp`);
  }

  #contentFile(uri: string): string {
    return join(this.#directory, `${nameOf(uri)}.bin`);
  }

  #recordFile(uri: string): string {
    return join(this.#directory, `${nameOf(uri)}.json`);
  }
}

class FileWriter implements ArtifactWriter {
  readonly #handle: FileHandle;
  readonly #temporary: string;
  readonly #maxBytes: number;
  readonly #promote: (content: {
    readonly digest: string;
    readonly bytes: number;
  }) => Promise<ArtifactRetention>;
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #ended = false;

  constructor(options: {
    readonly handle: FileHandle;
    readonly temporary: string;
    readonly maxBytes: number;
    readonly promote: (content: {
      readonly digest: string;
      readonly bytes: number;
    }) => Promise<ArtifactRetention>;
  }) {
    this.#handle = options.handle;
    this.#temporary = options.temporary;
    this.#maxBytes = options.maxBytes;
    this.#promote = options.promote;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#ended) throw new TypeError('This artifact writer is finished');
    this.#bytes += bytes.length;
    // Past the quota nothing can be kept: the bytes are counted and dropped.
    if (this.#bytes > this.#maxBytes) return;
    this.#hash.update(bytes);
    await this.#handle.writeFile(bytes);
  }

  async finish(): Promise<ArtifactRetention> {
    if (this.#ended) throw new TypeError('This artifact writer is finished');
    this.#ended = true;
    if (this.#bytes > this.#maxBytes) {
      await this.#drop();
      return { retained: false, reason: 'too_large' };
    }
    await this.#handle.sync();
    await this.#handle.close();
    return this.#promote({ digest: this.#hash.digest('hex'), bytes: this.#bytes });
  }

  async abort(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#drop();
  }

  async #drop(): Promise<void> {
    await this.#handle.close();
    await rm(this.#temporary, { force: true });
  }
}

/** A file name for a URI; URIs hold only letters, digits, `_`, `-`, `/` and `:`. */
function nameOf(uri: string): string {
  return createHash('sha256').update(uri).digest('hex').slice(0, 40);
}

async function statOf(file: string): Promise<Stats | undefined> {
  try {
    return await stat(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function* none(): AsyncGenerator<Uint8Array> {}
