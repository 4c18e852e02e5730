import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '@toolwright/core';
import { fs } from '@toolwright/tool-fs';
import { localWorkspace } from '@toolwright/workspace-local';

const host = createHost({ providers: [fs()] });
const workspace = localWorkspace(mkdtempSync(join(tmpdir(), 'example-')));
const session = await host.open({ workspace });

await session.writeFile('greet.sh', 'echo "hello $1"\n');
const edited = await session.editFile('greet.sh', { oldString: 'hello', newString: 'good day' });
assert(edited.error === null);

const result = await session.bash('bash greet.sh world; exit 3');
assert(result.output === 'good day world\n[exit code 3]\n');
assert(result.metadata['exit_code'] === 3);
await session.close();
await workspace.close();
