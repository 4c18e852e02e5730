// Usage: node plain-server.mjs DELAY [MANNER FILE]: a server over stdio that answers its first request after DELAY ms and has
// no tools. Its process id is added to the file. A `stubborn` one ends neither with its input nor by SIGTERM.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , delay, manner, file] = process.argv;
const answers = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'plain', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [] }),
};
let wait = Number(delay);
if (file !== undefined) appendFileSync(file, `${process.pid}\n`);

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = { jsonrpc: '2.0', id, result: answers[method]?.(params) ?? {} };
  setTimeout(() => console.log(JSON.stringify(answer)), wait);
  wait = 0;
});
if (manner === 'stubborn') {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1_000);
}
