// Usage: node in-turn.mjs PORT FILE …: waits until the port lets it in, then runs the file. Its turn lasts until it exits.
import { once } from 'node:events';
import { connect } from 'node:net';
import { pathToFileURL } from 'node:url';

const [, , port, file] = process.argv;
const turn = connect(Number(port), '127.0.0.1');
await once(turn, 'data');
turn.unref();
await import(pathToFileURL(file).href);
