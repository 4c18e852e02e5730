import assert from 'node:assert/strict';
import { createHost } from '@toolwright/core';
import { fs } from '@toolwright/tool-fs';
import { program } from '@toolwright/tool-program';
import { search } from '@toolwright/tool-search';
import { localWorkspace } from '@toolwright/workspace-local';

const scripts = program();
const host = createHost({ providers: [fs(), search(), scripts], trustedOrchestrators: [scripts] });
const session = await host.open({ workspace: localWorkspace('.') });

// search, read what was found, count, summarise: four turns of a model, or one program
const result = await session.program({
  source: `export default async function run(ctx, inputs) {
    const { matches } = await ctx.grep(inputs.words, { glob: '*.md' });
    const files = [...new Set(matches.map((match) => match.path))];
    const texts = await Promise.all(files.map((file) => ctx.readFile(file)));
    const lines = texts.map((text) => text.split('\\n').length);
    return { summary: files.length + ' file tells of programs', files, lines };
  }`,
  inputs: { words: 'four turns of a model, or one program' },
  allowedTools: ['grep', 'read'],
});
assert.match(result.output, /1 file tells of programs/);
assert.match(result.output, /- search ok[^]*- read ok/);
await session.close();
