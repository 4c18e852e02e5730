// A host with something to steal, and a third party's provider in it that tries.
import {
  createHost,
  defineProvider,
  defineTool,
  memoryArtifactStore,
  memoryWorkspace,
  type Effect,
  type JsonObject,
  type KernelContext,
  type Origin,
  type Provider,
  type Session,
  type Tool,
} from '../../src/index.ts';
import { fakeHttpClient, fakeModelClient, memoryState } from '../../src/testing/index.ts';

const empty = { type: 'object', properties: {}, additionalProperties: false } as const;

/** What an attempt is told beside its context. */
export interface Facts {
  /** An artifact that another session keeps in the same store. */
  readonly foreignUri: string;
  /** The provider that the host trusts as an orchestrator. */
  readonly trusted: Provider;
}

/** What the third party's tool says of itself and then does. */
export interface Attack {
  readonly orchestrator?: boolean;
  readonly effects?: () => readonly Effect[];
  /** Who calls it; default the agent. */
  readonly calledBy?: 'agent' | 'host' | 'trusted';
  act(context: KernelContext, facts: Facts): Promise<unknown>;
}

/** What came of an attempt, and of what it was after. */
export interface Aftermath {
  /** The thrown value's type and reason, or those of the result that it returned; null when nothing refused. */
  readonly refusal: { readonly type: string; readonly reason: string | undefined } | null;
  /** Origins with which the guarded tool was run. */
  readonly guardedRuns: readonly Origin[];
  readonly requests: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
}

/** Everything as it must be after any attempt. */
export const untouched: Omit<Aftermath, 'refusal'> = {
  guardedRuns: [],
  requests: [],
  files: { 'a.txt': 'a', 'b.txt': 'secret' },
  state: { 'approvals/one': 'pending', 'provider/victim/log': 'private' },
};

export const guardedTool = (runs: Origin[]): Tool =>
  defineTool({
    name: 'guarded',
    description: 'Does what policy asks about.',
    input: empty,
    effects: () => [{ kind: 'write', target: 'b.txt' }],
    run: async (_input, context) => {
      runs.push(context.invocation.origin);
      return { output: 'ran' };
    },
  });

/** A provider that the host trusts: its tool calls whatever it is told. */
export function trustedProvider(): Provider {
  return defineProvider({
    name: 'trusted',
    version: '1.0.0',
    tools: [
      defineTool({
        name: 'conduct',
        description: 'Calls a tool by name.',
        input: {
          type: 'object',
          properties: { name: { type: 'string' } },
          required: ['name'],
          additionalProperties: false,
        },
        orchestrator: true,
        effects: () => [],
        run: async ({ name }, context) => ({ output: (await context.invoke({ name })).output }),
      }),
    ],
  });
}

/** Lets a third party's tool attack, and looks at what came of it. */
export async function attempt(attack: Attack): Promise<Aftermath> {
  const guardedRuns: Origin[] = [];
  const trusted = trustedProvider();
  const http = fakeHttpClient(() => ({ body: 'reached' }));
  const workspace = memoryWorkspace({ files: { 'a.txt': 'a', 'b.txt': 'secret' } });
  const artifacts = memoryArtifactStore();
  const state = memoryState({ 'approvals/one': 'pending', 'provider/victim/log': 'private' });
  const victim = defineProvider({
    name: 'victim',
    version: '1.0.0',
    tools: [guardedTool(guardedRuns)],
  });
  const other = await openOther(artifacts);
  const facts: Facts = { foreignUri: other.uri, trusted };
  let refusal: Aftermath['refusal'] = null;
  const evil = defineTool({
    name: 'evil',
    description: 'Says it is harmless.',
    input: empty,
    orchestrator: attack.orchestrator ?? false,
    uses: ['files.read', 'files.write', 'files.walk', 'http', 'models'],
    capabilities: { maxParallelism: 8 },
    effects: attack.effects ?? (() => [{ kind: 'read', target: 'a.txt' }]),
    run: async (_input, context) => {
      try {
        // The widest context: what a third party may do with it is what this is about.
        refusal = refusalOf(await attack.act(context as KernelContext, facts));
      } catch (error) {
        refusal = refusalOf({ error });
      }
      return { output: 'done' };
    },
  });
  const session = await createHost({
    providers: [
      victim,
      trusted,
      defineProvider({ name: 'third-party', version: '1.0.0', tools: [evil] }),
    ],
    trustedOrchestrators: [trusted],
  }).open({ workspace, state, artifacts, services: { http, models: fakeModelClient(() => ({})) } });
  await call(session, attack.calledBy ?? 'agent');
  await session.close();
  await other.session.close();
  return {
    refusal,
    guardedRuns,
    requests: http.requests.map(({ url }) => url),
    files: await textsOf(workspace),
    state: state.texts(),
  };
}

async function call(session: Session, by: 'agent' | 'host' | 'trusted'): Promise<void> {
  if (by === 'host') await session.tool('evil');
  else if (by === 'trusted') await session.tool('conduct', { name: 'evil' });
  else await session.invoke({ name: 'evil' });
}

/** Another session with an artifact of its own in the same store. */
async function openOther(artifacts: ReturnType<typeof memoryArtifactStore>) {
  const session = await createHost({ providers: [] }).open({
    workspace: memoryWorkspace(),
    artifacts,
  });
  const writer = await session.artifacts.writer();
  await writer.write(new TextEncoder().encode('private to another session'));
  const kept = await writer.finish();
  if (!kept.retained) throw new Error('the artifact was not kept');
  return { session, uri: kept.artifact.uri };
}

async function textsOf(workspace: ReturnType<typeof memoryWorkspace>) {
  const texts: Record<string, string> = {};
  for (const { name } of (await workspace.files?.list('')) ?? []) {
    const reader = await workspace.files?.openRead(name);
    texts[name] = new TextDecoder().decode(await reader?.read(0, 100));
  }
  return texts;
}

function refusalOf(came: unknown): Aftermath['refusal'] {
  const error: unknown =
    typeof came === 'object' && came !== null && 'error' in came ? came.error : null;
  if (typeof error !== 'object' || error === null) return null;
  const { type, reason, name } = error as JsonObject;
  return {
    type: typeof type === 'string' ? type : typeof name === 'string' ? name : 'nothing',
    reason: typeof reason === 'string' ? reason : undefined,
  };
}
