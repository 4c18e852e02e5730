import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineProvider } from '@toolwright/core';
import { toolConformance } from '@toolwright/core/testing';
import { localWorkspace } from '@toolwright/workspace-local';
import { afterAll, test } from 'vitest';
import { bashJobTool } from '../src/bash-job.ts';
import { bashTool } from '../src/bash.ts';
import { gitTool } from '../src/git.ts';

const base = mkdtempSync(join(tmpdir(), 'tw-conformance-'));

afterAll(() => rmSync(base, { recursive: true, force: true }));

function workspace() {
  const root = mkdtempSync(join(base, 'root-'));
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: root });
  writeFileSync(join(root, 'a.txt'), 'a\n');
  return localWorkspace(root);
}

const provider = defineProvider({
  name: 'commands',
  version: '0.0.0',
  tools: [bashTool(), bashJobTool(), gitTool()],
});

// A job is told with its process id.
toolConformance(test, provider, { workspace, varying: ['bash'] });
