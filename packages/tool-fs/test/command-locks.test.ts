import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openProject, type Project } from './open-project.ts';

async function stageOf(project: Project, tool: string): Promise<string | undefined> {
  await new Promise((resolve) => setImmediate(resolve));
  return project.session.activeTools().find(({ name }) => name === tool)?.stage;
}

test('a write, a read and a second command wait for the command in the foreground', async () => {
  const project = await openProject({ files: { f: 'old\n' } });
  execFileSync('mkfifo', [join(project.root, 'gate')]);
  const command = project.call('bash', { command: 'read -r x < gate; cat f > seen; echo mid > f' });
  while ((await stageOf(project, 'bash')) !== 'run');
  const write = project.call('edit', { file_path: 'g', old_string: 'a', new_string: 'b' });
  const read = project.call('read', { file_path: 'f' });
  while (
    (await stageOf(project, 'edit')) !== 'admit' ||
    (await stageOf(project, 'read')) !== 'admit'
  );
  await writeFile(join(project.root, 'g'), 'a\n');
  await writeFile(join(project.root, 'gate'), 'go\n');
  expect((await command).exit_code).toBe(0);
  expect((await write).error).toBeNull();
  expect((await read).output).toContain('mid');
  expect(await project.text('seen')).toBe('old\n');
});

test('a job does not keep others waiting: its writes are caught by compare-and-swap', async () => {
  const project = await openProject({ files: { f: 'old\n' } });
  execFileSync('mkfifo', [join(project.root, 'gate')]);
  const job = await project.call('bash', {
    command: 'read -r x < gate; echo job > f; echo done > gate',
    background: true,
  });
  expect(job.error).toBeNull();
  const { metadata } = await project.call('read', { file_path: 'f' });
  await writeFile(join(project.root, 'gate'), 'go\n');
  await project.session.bash('read -r x < gate');
  const refused = await project.call('write', {
    file_path: 'f',
    content: 'mine\n',
    if_match: metadata['sha256'] ?? '',
  });
  expect(refused.error).toMatchObject({ type: 'version_conflict' });
  expect(await project.text('f')).toBe('job\n');
});
