import { PassThrough } from 'node:stream';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { SocketReader } from '../../src/exchange/socket-reader.ts';

/** A reader whose socket is not connected: the test is the network. */
function newReader(): { readonly reader: SocketReader; arrive(text: string): boolean } {
  const reader = new SocketReader();
  reader.attach(new Socket());
  return {
    reader,
    arrive: (text) => {
      const buffer = reader.onRead.buffer();
      const count = Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength).write(text);
      return reader.onRead.callback(count, buffer);
    },
  };
}

const textOf = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : Buffer.from(bytes).toString();

test('what arrives by the next turn comes together with what has woken the consumer', async () => {
  const { reader, arrive } = newReader();
  // The first buffer is handed on at once: it has room for a head only.
  arrive('head');
  expect(textOf(await reader.next())).toBe('head');
  const next = reader.next();
  setImmediate(() => {
    arrive('one ');
    setImmediate(() => arrive('two'));
  });
  expect(textOf(await next)).toBe('one two');
});

test('a little that nothing follows is not kept back', async () => {
  const { reader, arrive } = newReader();
  arrive('alone');
  expect(textOf(await reader.next())).toBe('alone');
  const next = reader.next();
  arrive('again');
  expect(textOf(await next)).toBe('again');
});

test('the socket waits when all buffers are full, and memory stays what it is', async () => {
  const { reader, arrive } = newReader();
  const piece = 'x'.repeat(32 * 1024);
  let arrived = 0;
  while (arrive(piece)) {
    arrived += piece.length;
  }
  arrived += piece.length;
  expect(arrived).toBeLessThanOrEqual(64 * 1024 + 3 * 512 * 1024);
  let read = 0;
  while (read < arrived) {
    read += (await reader.next())?.length ?? 0;
  }
  expect(read).toBe(arrived);
  // The buffers have come back.
  expect(arrive(piece)).toBe(true);
});

test.each([
  ['error', [new Error('broken')], 'Error: broken'],
  ['end', [], 'undefined'],
  ['close', [], 'Error: The connection was closed.'],
] as const)('%s: what came before is still handed on', async (ending, args, expected) => {
  const reader = new SocketReader();
  const socket = new Socket();
  reader.attach(socket);
  const buffer = reader.onRead.buffer();
  buffer.set(Buffer.from('last'));
  reader.onRead.callback(4, buffer);
  socket.emit(ending, ...args);
  expect(textOf(await reader.next())).toBe('last');
  expect(String(await reader.next().catch((error: unknown) => error))).toBe(expected);
});

test('a stream that knows nothing of the buffers is copied from', async () => {
  const reader = new SocketReader();
  const source = new PassThrough();
  // A socket in all that the reader uses of it.
  reader.attach(source as unknown as Socket);
  source.end('copied');
  expect(textOf(await reader.next())).toBe('copied');
  expect(await reader.next()).toBeUndefined();
});
