import { PassThrough } from 'node:stream';
import {
  createHost,
  defineProvider,
  memoryWorkspace,
  type HostOptions,
  type Tool,
  type Workspace,
} from '@toolwright/core';
import { onTestFinished } from 'vitest';
import { serveStdio, type McpClient, type ServeStdioOptions } from '../../src/server/index.ts';

/** A message as it stood on the wire. */
export type Wire = Readonly<Record<string, unknown>> & {
  readonly id?: unknown;
  readonly method?: string;
  // What a test looks at in it.
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
};

/** How the session of a test differs. */
export interface TestSession extends Omit<ServeStdioOptions, 'input' | 'output'> {
  readonly tools?: readonly Tool[];
  readonly toolsFor?: (client: McpClient) => readonly Tool[];
  readonly host?: Partial<HostOptions>;
  readonly workspace?: Workspace;
}

/** Opens the session that a test serves. */
export function openTestSession(test: TestSession) {
  return (client: McpClient) =>
    createHost({
      providers: [
        defineProvider({
          name: 'family',
          version: '1.0.0',
          tools: test.toolsFor?.(client) ?? test.tools ?? [],
        }),
      ],
      ...test.host,
    }).open({
      workspace: test.workspace ?? memoryWorkspace(),
      approver: client.approver,
      asker: client.asker,
    });
}

/** A client that speaks lines, and keeps every line that comes back. */
export async function connectLines(test: TestSession) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const serving = await serveStdio(openTestSession(test), { ...test, input, output });
  const messages: Wire[] = [];
  const waiting = new Set<() => void>();
  let rest = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    // A line that is no JSON throws, and fails the test.
    messages.push(...lines.map((line) => JSON.parse(line) as Wire));
    for (const look of waiting) look();
  });
  onTestFinished(() => serving.close());
  const find = (wanted: (message: Wire) => boolean): Promise<Wire> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = messages.find(wanted);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  const sendLine = (line: string): void => void input.write(`${line}\n`);
  const send = (message: object): void => sendLine(JSON.stringify({ jsonrpc: '2.0', ...message }));
  let ids = 100;
  return {
    serving,
    input,
    output,
    messages,
    find,
    send,
    sendLine,
    /** Sends a request and waits for its answer. */
    request: async (method: string, params: object = {}): Promise<Wire> => {
      ids += 1;
      const id = ids;
      send({ id, method, params });
      return find((message) => message.id === id && message.method === undefined);
    },
    /** The handshake of the older protocol. */
    initialize: async (
      capabilities: object = {},
      protocolVersion = '2025-11-25',
    ): Promise<Wire> => {
      send({
        id: 'init',
        method: 'initialize',
        params: { protocolVersion, capabilities, clientInfo: { name: 'lines', version: '1' } },
      });
      const answer = await find(({ id }) => id === 'init');
      send({ method: 'notifications/initialized' });
      return answer;
    },
  };
}

/** `_meta` of a request in the newer protocol. */
export function modernMeta(capabilities: object = {}, more: object = {}): object {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'lines', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...more,
  };
}
