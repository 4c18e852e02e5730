#!/usr/bin/env node
import { run } from './run.ts';

for (const stream of [process.stdout, process.stderr]) {
  // A reader that went away (`| head`) wants no more; writing tells that, and an event that nobody hears ends the process.
  stream.on('error', () => {});
}
const code = await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
});
// What was written must be out before the process goes; a worker that lingers must not keep it.
await Promise.all([process.stdout, process.stderr].map((stream) => drained(stream)));
process.exit(code);

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0) resolve();
    else stream.write('', () => resolve());
  });
}
