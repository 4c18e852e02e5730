// Runs a command that prints a flood, and tells the memory that it took: argv holds root and MiB.
import { readFileSync } from 'node:fs';
import { createHost } from '@toolwright/core';
import { localWorkspace } from '@toolwright/workspace-local';
import { fs } from '../../src/index.ts';

const [root = '', mebibytes = '1'] = process.argv.slice(2);
const workspace = localWorkspace(root, { processes: { sandbox: { enabled: false } } });
const session = await createHost({ providers: [fs()] }).open({ workspace });

function peakBytes(): number {
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1_024;
}

// All is loaded, and the artifact store has been filled once, before the count begins.
await session.bash('yes | head -c 3000000');
const before = peakBytes();
const { metadata } = await session.bash(`yes ${'x'.repeat(78)} | head -c ${mebibytes}M`, {
  timeoutMs: 600_000,
});
const added = peakBytes() - before;
process.stdout.write(JSON.stringify({ added, stdout: metadata['stdout'] ?? null }));
await session.close();
await workspace.close();
