import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  type HostOptions,
  type OpenOptions,
  type StateStore,
  type Tool,
} from '@toolwright/core';
import { program } from '../src/index.ts';

/** Options of {@link openSession}. */
export interface SessionOptions {
  readonly tools?: readonly Tool[];
  readonly host?: Omit<Partial<HostOptions>, 'providers' | 'trustedOrchestrators'>;
  readonly open?: Partial<OpenOptions>;
  /** Whether the calls of the host's own programs need no leave. Default true. */
  readonly trusted?: boolean;
}

/** A real session with the family and a few small tools. */
export async function openSession({
  tools = [echoTool()],
  host,
  open,
  trusted = true,
}: SessionOptions = {}) {
  const family = program();
  const created = createHost({
    providers: [family, defineProvider({ name: 'small-tools', version: '1.0.0', tools })],
    trustedOrchestrators: trusted ? [family] : [],
    ...host,
  });
  return created.open({ workspace: memoryWorkspace(), ...open });
}

/** Answers with its arguments; touches nothing. */
export function echoTool(name = 'echo'): Tool {
  return defineTool({
    name,
    description: 'Answers with what it is given.',
    input: {
      type: 'object',
      additionalProperties: false,
      properties: {
        i: { type: 'integer', description: 'Any number.' },
        text: { type: 'string', description: 'Any text.' },
      },
    },
    capabilities: { readOnly: true, idempotent: true, cancellationSafe: true, maxParallelism: 64 },
    effects: () => [],
    run: async (input) => ({ output: JSON.stringify(input), structured: { ...input } }),
  });
}

/** State in memory, as a host would keep it on disk; survives the session. */
export function memoryState(): StateStore & { readonly kept: Map<string, Uint8Array> } {
  const kept = new Map<string, Uint8Array>();
  return {
    kept,
    read: async (key) => kept.get(key),
    write: async (key, bytes) => void kept.set(key, bytes.slice()),
    append: async (key, bytes) =>
      void kept.set(key, Buffer.concat([kept.get(key) ?? Buffer.alloc(0), bytes])),
    delete: async (key) => void kept.delete(key),
    list: async (prefix) => [...kept.keys()].filter((key) => key.startsWith(prefix)).sort(),
  };
}

/** `body` as the body of a program's entry. */
export function script(body: string): string {
  return `export default async function run(ctx, inputs) {\n${body}\n}\n`;
}
