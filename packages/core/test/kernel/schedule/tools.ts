// The tools that schedules call: one for each act, and orchestrators by level.
import {
  defineTool,
  ToolError,
  type Effect,
  type KernelContext,
  type Tool,
  type ToolOutput,
} from '../../../src/index.ts';
import type { FaultyWorld } from './faults.ts';
import { acts, type Act, type CallNode } from './plan.ts';

/** A call that runs: what it declared to touch, and until when that is its own. */
interface Busy {
  readonly mode: 'read' | 'write';
  readonly path: string;
  readonly signal: AbortSignal;
}

/** What the tools did. */
export interface Doings {
  /** Ids of calls whose tool was run, in order. */
  readonly ran: string[];
  /** Calls that ran beside another one that touched the same. */
  readonly overlaps: string[];
}

const input = {
  type: 'object',
  properties: { node: { type: 'string' } },
  required: ['node'],
  additionalProperties: false,
} as const;

/** The tools over the calls of a plan, which their arguments name. */
export function toolsOf(
  calls: ReadonlyMap<string, CallNode>,
  world: FaultyWorld,
): { readonly leaves: readonly Tool[]; readonly groups: readonly Tool[]; readonly doings: Doings } {
  const doings: Doings = { ran: [], overlaps: [] };
  const busy = new Set<Busy>();
  /** Calls that declared something else than they do: their view lets them do nothing of it. */
  const misdeclared = new Set<string>();
  const leaf = (act: Act): Tool =>
    defineTool({
      name: act,
      description: `Does one thing: ${act}.`,
      input,
      uses: ['files.read', 'files.write', 'http'],
      capabilities: { maxParallelism: 4 },
      timeoutMs: 20_000,
      effects: ({ node }) =>
        world.at('effects', () => Promise.resolve(effectsOf(calls.get(node))), {
          lie: () => {
            misdeclared.add(node);
            return [{ kind: 'read', target: 'a.txt' }];
          },
        }),
      run: async ({ node }, narrow) => {
        // The view has what `uses` names.
        const context = narrow as KernelContext;
        const call = calls.get(node);
        if (call === undefined) throw new ToolError('not_found', 'There is no such call.');
        doings.ran.push(context.invocation.id);
        const own = misdeclared.has(node) ? undefined : busyWith(call, context.signal);
        if (own !== undefined) {
          if ([...busy].some((other) => clash(own, other))) doings.overlaps.push(node);
          busy.add(own);
        }
        try {
          return await world.at('tool', () => perform(call, context), {
            deny: () =>
              Promise.reject(new ToolError('not_found', 'Nothing there.', { detail: 'no' })),
            lie: () => Promise.resolve({ output: 'x'.repeat(300_000), trust: 'banana' }),
          });
        } finally {
          if (own !== undefined) busy.delete(own);
        }
      },
    });
  const group = (level: number): Tool =>
    defineTool({
      name: `group${level}`,
      description: 'Calls others.',
      input,
      orchestrator: true,
      capabilities: { readOnly: true, maxParallelism: 8 },
      effects: () => [],
      run: async ({ node }, context) => {
        doings.ran.push(context.invocation.id);
        const children = calls.get(node)?.children ?? [];
        const call = async (child: CallNode, index: number): Promise<string> => {
          const id = `${node}.${index}`;
          const name = toolOf(child, level + 1);
          const { output } = await context.invoke({ id, name, arguments: { node: id } });
          return output.slice(0, 100);
        };
        const outputs: string[] = [];
        if (calls.get(node)?.together) outputs.push(...(await Promise.all(children.map(call))));
        else
          for (const [index, child] of children.entries()) outputs.push(await call(child, index));
        return { output: outputs.join('\n') };
      },
    });
  return {
    leaves: acts.map(leaf),
    groups: Array.from({ length: 10 }, (_, level) => group(level)),
    doings,
  };
}

/** The tool that a call is of. */
export function toolOf({ act, children }: CallNode, level: number): string {
  return children.length === 0 ? act : `group${level}`;
}

function effectsOf(call: CallNode | undefined): readonly Effect[] {
  switch (call?.act) {
    case 'write':
      return [{ kind: 'write', target: call.path }];
    case 'read':
      return [{ kind: 'read', target: call.path }];
    case 'fetch':
      return [{ kind: 'net', target: 'out.example:443' }];
    case 'ask':
      return [{ kind: 'ask', target: 'person' }];
    default:
      return [];
  }
}

async function perform({ act, path }: CallNode, context: KernelContext): Promise<ToolOutput> {
  const file = path.endsWith('**') ? 'dir/c.txt' : path;
  switch (act) {
    case 'write': {
      const transaction = await context.workspace.writer?.begin();
      try {
        const content = new TextEncoder().encode('new');
        await transaction?.stage({ kind: 'write', path: file, content, expected: { kind: 'any' } });
        await transaction?.promoteAll();
      } finally {
        await transaction?.rollback();
      }
      return { output: 'written' };
    }
    case 'read': {
      const reader = await context.workspace.files?.openRead(file);
      try {
        return { output: (await reader?.read(0, 100)) ?? '' };
      } finally {
        await reader?.close();
      }
    }
    case 'fetch': {
      const response = await context.http?.request({ url: 'https://out.example/' });
      return { output: response?.body ?? '', trust: 'external' };
    }
    case 'large':
      return { output: 'large '.repeat(25_000) };
    case 'stream':
      return { output: pieces() };
    case 'keep': {
      const writer = await context.artifacts.writer();
      await writer.write(new TextEncoder().encode('kept'));
      const kept = await writer.finish();
      if (!kept.retained) return { output: kept.reason };
      return { output: await context.artifacts.read(kept.artifact.uri, { start: 0, length: 9 }) };
    }
    case 'ask':
      return { output: JSON.stringify(await context.ask({ question: 'Go on?' })) };
    case 'note': {
      await context.state?.append('note', new Uint8Array([1]));
      return { output: `${(await context.state?.read('note'))?.length}` };
    }
    case 'content':
      return {
        output: 'parts',
        metadata: { long: 'm'.repeat(70_000) },
        content: [{ type: 'text', text: 'a block' }],
      };
  }
}

async function* pieces(): AsyncGenerator<Uint8Array> {
  for (let piece = 0; piece < 30; piece += 1) {
    yield new TextEncoder().encode(`piece ${piece} ${'-'.repeat(5_000)}\n`);
  }
}

function busyWith({ act, path }: CallNode, signal: AbortSignal): Busy | undefined {
  return act === 'read' || act === 'write' ? { mode: act, path, signal } : undefined;
}

/** Whether two calls may not run at once; a call that was stopped holds nothing any more. */
function clash(one: Busy, other: Busy): boolean {
  if (one.signal.aborted || other.signal.aborted) return false;
  if (one.mode === 'read' && other.mode === 'read') return false;
  return covers(one.path, other.path) || covers(other.path, one.path);
}

function covers(path: string, other: string): boolean {
  if (path === other || path === '**') return true;
  return path.endsWith('/**') && other.startsWith(path.slice(0, -2));
}
