// The world outside of the kernel, which goes wrong where a plan says so.
import {
  memoryArtifactStore,
  type ApprovalAnswer,
  type ArtifactRetention,
  type ArtifactStore,
  type ArtifactWriter,
  type Budget,
  type Hooks,
  type HttpClient,
  type InvocationRecord,
  type StateStore,
  type UserAnswer,
  type Workspace,
  type WriteTransaction,
} from '../../../src/index.ts';
import { fakeHttpClient, memoryState } from '../../../src/testing/index.ts';
import type { Fault, Place } from './plan.ts';

/** Milliseconds by which an answer is too late for the kernel. */
const lateMs = 7_000;

/** Something to throw that cannot even be looked at. */
const unprintable: object = Object.freeze(Object.create(null));

/** What goes wrong at a place, beside what can go wrong anywhere. */
interface Ways {
  readonly deny?: () => unknown;
  /** An untrue answer of the right shape. */
  readonly lie?: (answer: unknown) => unknown;
  /** The interface is synchronous: it can only throw or answer rubbish. */
  readonly sync?: true;
}

/** Counts the occasions of each place, and spoils those of the plan. */
export class FaultyWorld {
  readonly #faults: readonly Fault[];
  readonly #occasions = new Map<Place, number>();
  /** Faults that came to pass. */
  readonly happened = new Set<Place>();

  constructor(faults: readonly Fault[]) {
    this.#faults = faults;
  }

  at<T>(place: Place, good: () => T, ways: Ways = {}): T {
    const occasion = (this.#occasions.get(place) ?? 0) + 1;
    this.#occasions.set(place, occasion);
    const fault = this.#faults.find(
      (one) => one.place === place && occasion >= one.from && occasion < one.from + one.times,
    );
    if (fault === undefined) return good();
    this.happened.add(place);
    // What a broken part answers has no type.
    return spoil(fault.manner, good, ways) as T;
  }
}

function spoil(manner: Fault['manner'], good: () => unknown, ways: Ways): unknown {
  switch (manner) {
    case 'throw':
      throw unprintable;
    case 'reject':
      return ways.sync ? good() : Promise.reject(unprintable);
    case 'hang':
      return ways.sync ? good() : new Promise(() => {});
    case 'nonsense':
      return ways.sync ? 42 : Promise.resolve(42);
    case 'deny':
      return ways.deny === undefined ? Promise.reject(new Error('no')) : ways.deny();
    case 'late':
      return ways.sync
        ? good()
        : new Promise((resolve) => {
            setTimeout(() => resolve(good()), lateMs);
          });
    case 'twice':
      // Nobody hears of the first time.
      quietly(good());
      return good();
    case 'lie':
      return later(good(), ways.lie ?? ((answer) => answer));
  }
}

function quietly(value: unknown): void {
  if (value instanceof Promise) value.catch(() => {});
}

function later(value: unknown, change: (settled: unknown) => unknown): unknown {
  return value instanceof Promise ? value.then(change) : change(value);
}

/** Who was asked about which call. */
export interface Asked {
  readonly before: Set<string>;
  readonly after: Map<string, number>;
  readonly checked: Set<string>;
  readonly reserved: Map<string, number>;
  readonly settled: Map<string, number>;
  readonly confirmed: Set<string>;
  readonly records: InvocationRecord[];
}

export function nobodyAsked(): Asked {
  return {
    before: new Set(),
    after: new Map(),
    checked: new Set(),
    reserved: new Map(),
    settled: new Map(),
    confirmed: new Set(),
    records: [],
  };
}

const count = (counts: Map<string, number>, id: string): void => {
  counts.set(id, (counts.get(id) ?? 0) + 1);
};

export function hooksOf(world: FaultyWorld, asked: Asked): Hooks {
  return {
    name: 'schedule',
    beforeTool: (call) => {
      asked.before.add(call.invocationId);
      return world.at('beforeTool', () => Promise.resolve({ action: 'continue' as const }), {
        deny: () => ({ action: 'deny', reason: 'no' }),
        lie: () => ({ action: 'rewrite', arguments: { node: 'none' } }),
      });
    },
    afterTool: (call) => {
      count(asked.after, call.invocationId);
      return world.at('afterTool', () => Promise.resolve());
    },
    permissionRequest: (pending) => {
      asked.confirmed.add(pending.call.id);
      return world.at('permissionRequest', () => Promise.resolve(undefined), {
        deny: () => ({ decision: 'reject' }),
        lie: () => ({ decision: 'approve', arguments: {} }),
      });
    },
  };
}

export function budgetOf(world: FaultyWorld, asked: Asked): Budget {
  const deny = () => ({ decision: 'deny', resource: 'calls', consumed: 1, limit: 1 });
  const lie = () => ({ decision: 'soft' });
  const allow = () => Promise.resolve({ decision: 'allow' as const });
  return {
    check: ({ invocationId }) => {
      asked.checked.add(invocationId);
      return world.at('budget.check', allow, { deny, lie });
    },
    reserve: ({ invocationId }) => {
      count(asked.reserved, invocationId);
      return world.at('budget.reserve', allow, { deny, lie });
    },
    settle: ({ invocationId }) => {
      count(asked.settled, invocationId);
      return world.at('budget.settle', () => Promise.resolve());
    },
  };
}

export function approverOf(world: FaultyWorld) {
  return (): Promise<ApprovalAnswer> =>
    world.at('approver', () => Promise.resolve({ decision: 'approve' as const }), {
      deny: () => Promise.resolve({ decision: 'reject' }),
      lie: () => ({ decision: 'approve', arguments: { node: 7 } }),
    });
}

export function askerOf(world: FaultyWorld) {
  return (): Promise<UserAnswer> =>
    world.at('asker', () => Promise.resolve({ answered: true as const, answer: 'yes' }));
}

/** A store whose every answer can be a fault; a lie is another size, digest or address. */
export function artifactsOf(world: FaultyWorld): ArtifactStore {
  const store = memoryArtifactStore();
  let lies = 0;
  const lie = (kept: unknown): unknown => {
    // Only retentions are lied about.
    const retention = kept as ArtifactRetention | undefined;
    if (retention?.retained !== true) return kept;
    const { artifact } = retention;
    lies += 1;
    const changed = [
      { ...artifact, bytes: artifact.bytes + 1 },
      { ...artifact, sha256: '0'.repeat(64) },
      { ...artifact, uri: 'two\nlines' },
    ][lies % 3];
    return { ...retention, artifact: changed };
  };
  const at = <T>(work: () => T): T => world.at('artifacts', work, { lie });
  return {
    put: (content, options) => at(() => store.put(content, options)),
    openWriter: (options) =>
      at<Promise<ArtifactWriter>>(async () => {
        const writer = await store.openWriter(options);
        return {
          write: (bytes) => at(() => writer.write(bytes)),
          finish: () => at(() => writer.finish()),
          abort: () => at(() => writer.abort()),
        };
      }),
    stat: (uri) => at(() => store.stat(uri)),
    openRead: (uri, range) => at(() => store.openRead(uri, range)),
    pin: (uri, holder) => at(() => store.pin(uri, holder)),
    release: (holder) => at(() => store.release(holder)),
    list: () => at(() => store.list()),
  };
}

export function stateOf(world: FaultyWorld): StateStore {
  const state = memoryState();
  const lie = (): unknown => new TextEncoder().encode('{"not":"what was kept"}');
  const at = <T>(work: () => T): T => world.at('state', work, { lie });
  return {
    read: (key) => at(() => state.read(key)),
    write: (key, bytes) => at(() => state.write(key, bytes)),
    append: (key, bytes) => at(() => state.append(key, bytes)),
    delete: (key) => at(() => state.delete(key)),
    list: (prefix) => at(() => state.list(prefix)),
  };
}

export function httpOf(world: FaultyWorld): HttpClient & { readonly requests: readonly unknown[] } {
  const client = fakeHttpClient(() => ({ body: 'from outside' }));
  return {
    requests: client.requests,
    request: (request) => world.at('http', () => client.request(request)),
    close: () => client.close(),
  };
}

/** A workspace whose services go wrong; what it does is counted. */
export function workspaceOf(world: FaultyWorld, workspace: Workspace) {
  let operations = 0;
  const { files, writer } = workspace;
  if (files === undefined || writer === undefined) throw new Error('a workspace with files');
  const at = <T>(place: Place, work: () => T): T =>
    world.at(place, () => {
      operations += 1;
      return work();
    });
  const faulty: Workspace = {
    ...workspace,
    resolvePath: (path) =>
      world.at('resolvePath', () => workspace.resolvePath(path), { lie: () => 'elsewhere.txt' }),
    close: () => workspace.close(),
    files: {
      stat: (path, options) => at('files', () => files.stat(path, options)),
      list: (path, options) => at('files', () => files.list(path, options)),
      openRead: (path, options) => at('files', () => files.openRead(path, options)),
    },
    writer: {
      begin: (options) =>
        at<Promise<WriteTransaction>>('writer', async () => {
          const transaction = await writer.begin(options);
          return {
            stage: (change) => at('writer', () => transaction.stage(change)),
            stageFile: (file) => at('writer', () => transaction.stageFile(file)),
            promoteAll: () => at('writer', () => transaction.promoteAll()),
            rollback: (how) => transaction.rollback(how),
          };
        }),
    },
  };
  return { workspace: faulty, operations: () => operations };
}
