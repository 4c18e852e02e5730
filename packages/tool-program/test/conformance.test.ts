import { memoryWorkspace } from '@toolwright/core';
import { toolConformance } from '@toolwright/core/testing';
import { fs } from '@toolwright/tool-fs';
import { search } from '@toolwright/tool-search';
import { test } from 'vitest';
import { program } from '../src/index.ts';

const files = {
  'package.json': '{}\n',
  'README.md': 'one\n',
  'src/a.test.ts': 'two\n',
  'scripts/report.mjs':
    'export default async function run(ctx, inputs) { console.log("one"); return { summary: "done" } }',
};

toolConformance(test, program(), {
  workspace: () => memoryWorkspace({ files }),
  alongside: [fs(), search()],
});
