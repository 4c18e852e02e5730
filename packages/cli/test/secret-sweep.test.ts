import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  createHost,
  createSanitiser,
  memoryArtifactStore,
  type ArtifactStore,
  type Session,
  type ToolResult,
} from '@toolwright/core';
import { fakeHttpClient, memoryState } from '@toolwright/core/testing';
import { toolSearch } from '@toolwright/tool-search';
import { localWorkspace } from '@toolwright/workspace-local';
import { loadProviders } from '../src/families.ts';
import { hostileCalls, usefulCalls, type PlannedCall } from './sweep/calls.ts';
import { corpus, leaksIn, secrets } from './sweep/secrets.ts';

/** Tools that must have had their say, both ways. */
const tools = [
  'read',
  'ls',
  'write',
  'edit',
  'patch',
  'bash',
  'bash_job',
  'git',
  'search',
  'tool_search',
  'call_tool',
  'web_fetch',
  'download',
  'program',
  'batch',
];

/** A directory with the secrets in it: in files, in names, and around the places where outputs are cut. */
function plantedDirectory(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'tw-sweep-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'sub'));
  writeFileSync(join(root, 'planted.txt'), corpus);
  writeFileSync(join(root, `${secrets[0]}.txt`), corpus);
  writeFileSync(join(root, 'sub', 'planted.json'), JSON.stringify({ corpus, secrets }));
  const line = `${'-'.repeat(61)} ${secrets[1]} ${secrets[3]}\n`;
  writeFileSync(join(root, 'large.txt'), line.repeat(2_000));
  return root;
}

/** Everything that a session lets out: each text once, with where it was first seen. */
class Outlets {
  readonly texts = new Map<string, string>();

  /** Takes every string of a value, keys included, as itself and not as JSON escapes it. */
  add(where: string, value: unknown): void {
    if (typeof value === 'string') {
      if (!this.texts.has(value)) this.texts.set(value, where);
    } else if (value instanceof Uint8Array) this.add(where, new TextDecoder().decode(value));
    else if (typeof value === 'number') this.add(where, String(value));
    else if (value instanceof Error) this.add(where, [value.message, value.stack, value.cause]);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        this.add(where, key);
        this.add(where, item);
      }
    }
  }

  leaks(): readonly string[] {
    return [...this.texts].flatMap(([text, where]) =>
      leaksIn(text).map((leak) => `${where}: ${leak}`),
    );
  }
}

async function addArtifacts(outlets: Outlets, store: ArtifactStore): Promise<number> {
  const kept = await store.list();
  for (const info of kept) {
    outlets.add('artifact', info);
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await store.openRead(info.uri))?.chunks ?? []) chunks.push(chunk);
    outlets.add(`artifact of ${info.tool}`, Buffer.concat(chunks));
  }
  return kept.length;
}

/** A session of every family on a planted directory, all of whose outlets are watched. */
async function openWatched(policy: 'trusted' | 'guarded') {
  const outlets = new Outlets();
  const root = plantedDirectory();
  const { providers, trusted } = await loadProviders({ config: {}, names: [], cwd: root });
  const artifacts = memoryArtifactStore({ maxArtifacts: 10_000, maxBytes: 512 * 1024 * 1024 });
  const state = memoryState();
  const http = fakeHttpClient(({ url }) => {
    if (url.includes('missing')) return { status: 404, body: corpus };
    return {
      headers: { 'content-type': 'text/plain; charset=utf-8', 'x-token': secrets[0] ?? '' },
      body: corpus,
    };
  });
  const session = await createHost({
    // With the list of tools frozen, so that `call_tool` is there too.
    providers: [
      ...providers.filter(({ name }) => name !== 'tool-search'),
      toolSearch({ frozenList: true }),
    ],
    trustedOrchestrators: trusted,
    secrets,
    policy: { preset: policy },
    telemetry: (record) => outlets.add('telemetry', record),
  }).open({
    workspace: localWorkspace(root),
    services: { http },
    artifacts,
    state,
  });
  const stream = session.events({ capacity: 1_000_000 });
  const watching = (async () => {
    for await (const event of stream) outlets.add(`event ${event.type}`, event);
  })();
  return { session, outlets, artifacts, state, watching };
}

async function make(session: Session, outlets: Outlets, call: PlannedCall): Promise<ToolResult> {
  const result = await session.invoke(call, { timeoutMs: 20_000 });
  outlets.add(`result of ${call.name}`, result);
  return result;
}

test('twenty secrets, planted everywhere, never come out of any tool of any family', async () => {
  const { session, outlets, artifacts, state, watching } = await openWatched('trusted');
  const outcomes: Record<string, number> = {};
  const note = (name: string, { error }: ToolResult): void => {
    const key = `${name} ${error === null ? 'completes' : 'fails'}`;
    outcomes[key] = (outcomes[key] ?? 0) + 1;
  };
  const definitions = session.toolDefinitions();
  for (const call of usefulCalls) note(call.name, await make(session, outlets, call));
  for (const { name, parameters } of definitions) {
    const calls = hostileCalls(name, parameters);
    for (const call of calls) note(name, await make(session, outlets, call));
  }
  // Every tool was there, and had its say both ways; what only fails has nothing to hide.
  const ways = tools.flatMap((name) => [`${name} completes`, `${name} fails`]);
  expect(Object.keys(outcomes)).toEqual(expect.arrayContaining(ways));
  outlets.add('snapshot', await session.snapshot());
  outlets.add('surface', session.surface());
  outlets.add('grants', session.grants());
  outlets.add('undoable', await session.undoable());
  for (const { uri } of await session.artifacts.list()) {
    outlets.add('artifact access', await session.artifacts.read(uri, { start: 0, length: 1e8 }));
  }
  expect(await addArtifacts(outlets, artifacts)).toBeGreaterThan(0);
  await session.close();
  await watching;
  // What is put back by an undo, and what a run is gone on with, is private to them and must be whole.
  const told = Object.entries(state.texts()).filter(([key]) => !/^(?:undo|provider)\//.test(key));
  outlets.add('state', told);
  expect(outlets.texts.size).toBeGreaterThan(500);
  expect(outlets.leaks()).toEqual([]);
}, 120_000);

test('nor out of what a person is asked, or told of a refusal', async () => {
  const { session, outlets, state, watching } = await openWatched('guarded');
  for (const call of usefulCalls) {
    outlets.add('explained', await session.explain(call));
    outlets.add('prepared', await session.prepare(call));
    await make(session, outlets, call);
  }
  const pending = session.pendingApprovals();
  expect(pending.length).toBeGreaterThan(5);
  outlets.add('pending', pending);
  outlets.add('snapshot', await session.snapshot());
  for (const { id } of pending.slice(0, 4)) {
    outlets.add('answered', await session.answer(id, { decision: 'approve', remember: true }));
  }
  outlets.add('grants', session.grants());
  for (const { id } of pending.slice(4)) {
    const reason = `no, not ${secrets[0]}`;
    outlets.add('rejected', await session.answer(id, { decision: 'reject', reason }));
  }
  await session.close();
  await watching;
  const told = Object.entries(state.texts()).filter(([key]) => !/^(?:undo|provider)\//.test(key));
  outlets.add('state', told);
  expect(outlets.leaks()).toEqual([]);
}, 120_000);

test('the sweep itself sees what it looks for', () => {
  expect(new Set(secrets).size).toBe(20);
  expect(leaksIn(corpus).length).toBeGreaterThan(100);
  const outlets = new Outlets();
  outlets.add('here', { nested: [{ [`a ${secrets[3]} b`]: 1 }] });
  expect(outlets.leaks()).not.toEqual([]);
  expect(leaksIn(createSanitiser(secrets).text(corpus))).toEqual([]);
});
