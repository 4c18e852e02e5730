import type { ProcessHandle, WorkspaceGit } from '@toolwright/core';
import { expect, it } from 'vitest';
import { tryGit } from '../../src/git/run-git.ts';

/** A git whose output comes piece by piece, all in the same memory. */
function gitThatSays(pieces: readonly (readonly ['stdout' | 'stderr', string])[]): WorkspaceGit {
  const handle: ProcessHandle = {
    pid: 1,
    sandboxed: false,
    output: (async function* () {
      const memory = new Uint8Array(64);
      for (const [stream, text] of pieces) {
        const { written } = new TextEncoder().encodeInto(text, memory);
        yield { stream, bytes: memory.subarray(0, written) };
        memory.fill(0);
      }
    })(),
    exit: Promise.resolve({ exitCode: 0, signal: null, background: [] }),
    writeInput: async () => {},
    endInput: async () => {},
    changedPaths: async () => null,
    members: async () => [],
    kill: async () => {},
    close: async () => [],
  };
  return { locate: async () => null, run: async () => handle };
}

it('keeps what git printed, though each piece overwrites the one before', async () => {
  const git = gitThatSays([
    ['stdout', 'one\n'],
    ['stderr', 'warning: \u00e4'],
    ['stdout', 'second\n'],
    ['stdout', '3\n'],
  ]);
  const { stdout, stderr, exitCode } = await tryGit(git, { args: ['status'], access: 'read' });
  expect({ stdout: stdout.toString(), stderr, exitCode }).toEqual({
    stdout: 'one\nsecond\n3\n',
    stderr: 'warning: \u00e4',
    exitCode: 0,
  });
});
