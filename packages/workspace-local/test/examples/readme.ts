import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localWorkspace } from '@toolwright/workspace-local';

const workspace = localWorkspace(mkdtempSync(join(tmpdir(), 'example-')));

const transaction = await workspace.writer?.begin();
await transaction?.stage({
  kind: 'write',
  path: 'notes/today.md',
  content: new TextEncoder().encode('hello\n'),
  expected: { kind: 'absent' }, // refuse to overwrite
});
const [change] = (await transaction?.promoteAll()) ?? [];
assert(change?.action === 'created');

const stat = await workspace.files?.stat('notes/today.md');
assert(stat?.size === 6);
await workspace.close();
