// Writes, edits and patches files for ever, several in one patch, to be killed: argv holds root and state directory.
import { createHost } from '@toolwright/core';
import { localWorkspace } from '@toolwright/workspace-local';
import { fs } from '../../src/index.ts';

const [root = '', stateDir = ''] = process.argv.slice(2);
const session = await createHost({ providers: [fs()] }).open({
  workspace: localWorkspace(root, { stateDir }),
});
const lines = 20_000;
// Ready after the first turn, when all is loaded.
for (let turn = 1; ; turn += 1) {
  await must('write', { file_path: 'big.txt', content: 'one\n'.repeat(lines) });
  await must('write', { file_path: 'small.txt', content: 'one\none\none\n' });
  await must('edit', {
    file_path: 'big.txt',
    old_string: 'one',
    new_string: 'two',
    replace_all: true,
    max_replacements: lines,
  });
  const removed = '-one\n'.repeat(3);
  const added = '+two\n'.repeat(3);
  await must('patch', {
    diff: `--- a/small.txt\n+++ b/small.txt\n@@ -1,3 +1,3 @@\n${removed}${added}`,
  });
  const from = (await session.readFile('many/a')).trim();
  await must('patch', { diff: changeMany(from, from === 'one' ? 'two' : 'one') });
  if (turn === 1) process.stdout.write('ready\n');
}

/** Three files change, and a fourth gets another name. */
function changeMany(from: string, to: string): string {
  const sections = ['many/a', 'many/b', 'many/c'].map(
    (path) => `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${from}\n+${to}\n`,
  );
  const [moved, there] = [`many/is-${from}`, `many/is-${to}`];
  return `${sections.join('')}diff --git a/${moved} b/${there}\nrename from ${moved}\nrename to ${there}\n`;
}

async function must(
  tool: string,
  args: Readonly<Record<string, string | number | boolean>>,
): Promise<void> {
  const { error } = await session.tool(tool, args);
  if (error !== null) throw new Error(`${tool}: ${error.message}`);
}
