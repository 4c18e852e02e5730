import { memoryWorkspace } from '@toolwright/core';
import { toolConformance } from '@toolwright/core/testing';
import { test } from 'vitest';
import { program } from '../src/index.ts';

const files = {
  'scripts/report.mjs':
    'export default async function run(ctx, inputs) { console.log("one"); return { summary: "done" } }',
};

toolConformance(test, program(), { workspace: () => memoryWorkspace({ files }) });
