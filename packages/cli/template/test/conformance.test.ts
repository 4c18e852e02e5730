import { memoryWorkspace } from '@toolwright/core';
import { toolConformance } from '@toolwright/core/testing';
import { test } from 'vitest';
import { __FACTORY__ } from '../src/index.ts';

// The examples of the tools are run on this workspace. `toolwright check` takes the files of `fixture/` instead.
toolConformance(test, __FACTORY__(), {
  workspace: () => memoryWorkspace({ files: { 'notes.txt': 'one\ntwo\n' } }),
});
