import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineProvider, memoryWorkspace } from '@toolwright/core';
import { toolConformance } from '@toolwright/core/testing';
import { localWorkspace } from '@toolwright/workspace-local';
import { afterAll, test } from 'vitest';
import { fs } from '../src/index.ts';

const base = mkdtempSync(join(tmpdir(), 'tw-conformance-'));
const template = join(base, 'template');
execFileSync('git', ['init', '-q', '-b', 'main', '--template=', template]);
writeFileSync(join(template, 'a.txt'), 'a\n');

afterAll(() => rmSync(base, { recursive: true, force: true }));

const { tools } = fs();
const runsCommands = new Set(['bash', 'bash_job', 'git']);

const files = defineProvider({
  name: 'files',
  version: '0.0.0',
  tools: tools.filter(({ name }) => !runsCommands.has(name)),
});
const commands = defineProvider({
  name: 'commands',
  version: '0.0.0',
  tools: tools.filter(({ name }) => runsCommands.has(name)),
});

// Where the examples of the tools find what they name.
toolConformance(test, files, {
  workspace: () =>
    memoryWorkspace({
      files: {
        'package.json': '{}\n',
        'docs/guide.md': Array.from({ length: 400 }, (_, line) => `line ${line}\n`).join(''),
        'src/index.ts': "import { a } from './a.ts';\nconst limit = 10;\na(limit);\n",
        'src/main.ts': 'main();\n',
        'src/add.ts': 'export function add(a: number, b: number) {\n  return a - b;\n}\n',
        'data/log.txt': 'x'.repeat(4_096),
      },
    }),
});

// A job is told with its process id.
toolConformance(test, commands, {
  workspace: () => {
    const root = mkdtempSync(join(base, 'root-'));
    cpSync(template, root, { recursive: true });
    return localWorkspace(root);
  },
  varying: ['bash'],
});
