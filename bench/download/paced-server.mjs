// Serves one file with ranges, each connection no faster than so many bytes a second: `node paced-server.mjs FILE BYTES_A_SECOND`.
// Tells its port to its parent.
import { openSync, readSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const [, , file, rate] = process.argv;
const descriptor = openSync(file);
const { size } = statSync(file);
const bytesPerMs = Number(rate) / 1000;
const chunk = Buffer.alloc(256 * 1024);
/** When each connection may send on: what it has sent, it has to wait for. */
const free = new WeakMap();

const server = createServer((request, response) => {
  void serve(request, response);
});

async function serve(request, response) {
  const [, from, to] = /^bytes=(\d+)-(\d*)$/u.exec(request.headers.range ?? '') ?? [];
  const start = Number(from ?? 0);
  const end = to === undefined || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  response.writeHead(from === undefined ? 200 : 206, {
    'content-type': 'application/octet-stream',
    'content-length': end + 1 - start,
    'accept-ranges': 'bytes',
    etag: '"v1"',
    ...(from === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
  });
  const { socket } = request;
  let onWritable = () => {};
  for (const event of ['drain', 'close', 'error']) response.on(event, () => onWritable());
  for (let at = start; at <= end && !response.destroyed;) {
    const count = readSync(descriptor, chunk, 0, Math.min(chunk.length, end + 1 - at), at);
    at += count;
    const due = Math.max(free.get(socket) ?? 0, performance.now()) + count / bytesPerMs;
    free.set(socket, due);
    if (!response.write(Buffer.from(chunk.subarray(0, count)))) {
      await new Promise((resolve) => {
        onWritable = resolve;
      });
    }
    const wait = due - performance.now();
    if (wait > 1) await delay(wait);
  }
  response.end();
}

server.listen(0, '127.0.0.1', () => process.send(server.address().port));
