import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';

/** Runs a command to its end and returns `{ ms, stdout }`; throws unless it exits with 0. */
export function timeProcess([command, ...args], options = {}) {
  const started = performance.now();
  const done = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 1024 * 1024 * 1024,
    ...options,
  });
  const ms = performance.now() - started;
  if (done.status !== 0) {
    throw new Error(`${command} ${args.join(' ')} exited with ${done.status}\n${done.stderr}`);
  }
  return { ms, stdout: done.stdout };
}
