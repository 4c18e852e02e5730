import { spawn } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The input of the tool that every server of these rows has. */
export const echoSchema = {
  type: 'object',
  properties: { message: { type: 'string', description: 'What comes back.' } },
  required: ['message'],
  additionalProperties: false,
};

/** A server's program and arguments, for a client that starts it. */
export function program(file, ...args) {
  return {
    command: process.execPath,
    args: [fileURLToPath(new URL(file, import.meta.url)), ...args],
  };
}

/** Starts a server over HTTP and waits for the URL that it prints. */
export async function startHttp(file) {
  const { command, args } = program(file, 'http');
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = await once(createInterface({ input: child.stdout }), 'line');
  return { url, stop: () => child.kill('SIGKILL') };
}

/** The SDK hands one signal to all its requests, and Node warns of the listeners that pile up there. */
function quietFetch(url, init) {
  if (init.signal instanceof AbortSignal) setMaxListeners(0, init.signal);
  return fetch(url, init);
}

/** The SDK's client, connected over one of its own transports. */
export async function sdkClient(target) {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(
    typeof target === 'string'
      ? new StreamableHTTPClientTransport(new URL(target), { fetch: quietFetch })
      : new StdioClientTransport({ ...target, stderr: 'inherit' }),
  );
  return client;
}
