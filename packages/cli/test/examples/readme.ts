import { createHost } from '@toolwright/core';
import { fs } from '@toolwright/tool-fs';
import { localWorkspace } from '@toolwright/workspace-local';

const host = createHost({
  providers: [fs()],
  policy: { preset: 'guarded', allow: ['write:src/**'] },
});
const session = await host.open({ workspace: localWorkspace('.') });

// A model's call: full policy.
const result = await session.invoke({
  name: 'read',
  arguments: { file_path: 'package.json', limit: 3 },
});
console.log(result.output); // bounded text for the model
console.log(result.metadata['sha256']); // facts for your program
await session.ls('src'); // your own call: a typed helper of fs()
await session.close();
