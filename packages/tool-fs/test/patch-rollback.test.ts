import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Workspace, WriteTransaction } from '@toolwright/core';
import { localWorkspace } from '@toolwright/workspace-local';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { callPatch } from './patch/patch-session.ts';

/** Modifies, creates below a new directory, deletes, renames, and sets a mode: five files, six paths. */
const diff =
  '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+A\n' +
  '--- /dev/null\n+++ b/deep/er/b.txt\n@@ -0,0 +1 @@\n+B\n' +
  '--- a/c.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-c\n' +
  'diff --git a/d.txt b/sub/e.txt\nrename from d.txt\nrename to sub/e.txt\n--- a/d.txt\n+++ b/sub/e.txt\n@@ -1 +1 @@\n-d\n+E\n' +
  'diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n';

const before = { 'a.txt': 'a\n', 'c.txt': 'c\n', 'd.txt': 'd\n', 'run.sh': 'r\n', 'sub/x': 'x\n' };

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'toolwright-patch-'));
  for (const [path, text] of Object.entries(before)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    chmodSync(join(root, path), 0o644);
  }
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

/** Everything below the root: directories by their names, files with content and mode. */
function snapshot(): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(root.length + 1);
    if (entry.isDirectory()) found[`${name}/`] = '';
    else {
      found[name] = `${readFileSync(path, 'utf8')} ${modeOf(path)}`;
    }
  }
  return found;
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8).padStart(4, '0');
}

/** The workspace with a step in front of each of a transaction's steps; what throws there is a fault. */
function withSteps(workspace: Workspace, step: (number: number) => void): Workspace {
  const { writer } = workspace;
  if (writer === undefined) throw new TypeError('The workspace cannot write.');
  let number = 0;
  const next = (): void => {
    number += 1;
    step(number);
  };
  return {
    ...workspace,
    writer: {
      begin: async (options) => {
        next();
        const transaction = await writer.begin(options);
        return {
          ...delegate(transaction),
          stage: async (change) => {
            next();
            return transaction.stage(change);
          },
          promoteAll: async () => {
            next();
            return transaction.promoteAll();
          },
        };
      },
    },
  };
}

function delegate(transaction: WriteTransaction): WriteTransaction {
  return {
    stage: (change) => transaction.stage(change),
    stageFile: (options) => transaction.stageFile(options),
    promoteAll: () => transaction.promoteAll(),
    rollback: (options) => transaction.rollback(options),
  };
}

test('a patch of five files changes all of them', async () => {
  const workspace = localWorkspace(root);
  let steps = 0;
  const result = await callPatch(
    withSteps(workspace, (number) => {
      steps = number;
    }),
    { diff },
  );
  expect(result.error).toBeNull();
  writeFileSync(join(root, 'probe'), '');
  const fresh = modeOf(join(root, 'probe'));
  rmSync(join(root, 'probe'));
  expect(snapshot()).toEqual({
    'a.txt': 'A\n 0644',
    'deep/': '',
    'deep/er/': '',
    'deep/er/b.txt': `B\n ${fresh}`,
    'run.sh': 'r\n 0755',
    'sub/': '',
    'sub/e.txt': `E\n ${fresh}`,
    'sub/x': 'x\n 0644',
  });
  expect(steps).toBe(8);
  await workspace.close();
});

describe('a fault leaves all files as they were', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('before step %i', async (fault) => {
    const untouched = snapshot();
    const workspace = localWorkspace(root);
    const result = await callPatch(
      withSteps(workspace, (number) => {
        if (number === fault) throw new Error('The disk is on fire.');
      }),
      { diff },
    );
    expect(result.error).toMatchObject({ type: 'internal' });
    expect(snapshot()).toEqual(untouched);
    await workspace.close();
  });

  test.each(Object.keys(before).filter((path) => path !== 'sub/x'))(
    'when %s has been changed by someone else before the promotion',
    async (path) => {
      const workspace = localWorkspace(root);
      const result = await callPatch(
        withSteps(workspace, (number) => {
          if (number === 8) writeFileSync(join(root, path), 'theirs\n');
        }),
        { diff },
      );
      expect(result.error).toMatchObject({ type: 'version_conflict' });
      const theirs = { ...before, [path]: 'theirs\n' };
      const entries = Object.entries(theirs).map(([name, text]) => [name, `${text} 0644`]);
      expect(snapshot()).toEqual({ ...Object.fromEntries(entries), 'sub/': '' });
      await workspace.close();
    },
  );

  test('when a file appears where one is to be created', async () => {
    const workspace = localWorkspace(root);
    const untouched = snapshot();
    const result = await callPatch(
      withSteps(workspace, (number) => {
        if (number !== 8) return;
        writeFileSync(join(root, 'sub/e.txt'), 'theirs\n');
        chmodSync(join(root, 'sub/e.txt'), 0o644);
      }),
      { diff },
    );
    expect(result.error).toMatchObject({ type: 'version_conflict' });
    expect(snapshot()).toEqual({ ...untouched, 'sub/e.txt': 'theirs\n 0644' });
    await workspace.close();
  });

  test('when the call is cancelled between two files', async () => {
    const untouched = snapshot();
    const workspace = localWorkspace(root);
    const controller = new AbortController();
    const stopping = withSteps(workspace, (number) => {
      if (number === 4) controller.abort();
    });
    const result = await callPatch(stopping, { diff }, controller.signal);
    expect(result.error).toMatchObject({ type: 'cancelled' });
    expect(snapshot()).toEqual(untouched);
    await workspace.close();
  });
});

test('modes other than the executable bits stay with a file that is changed in place', async () => {
  chmodSync(join(root, 'a.txt'), 0o640);
  chmodSync(join(root, 'run.sh'), 0o700);
  const workspace = localWorkspace(root);
  const result = await callPatch(workspace, {
    diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+A\n--- a/run.sh\n+++ b/run.sh\n@@ -1 +1 @@\n-r\n+R\n',
  });
  expect(result.error).toBeNull();
  expect(snapshot()).toMatchObject({ 'a.txt': 'A\n 0640', 'run.sh': 'R\n 0700' });
  await workspace.close();
});
