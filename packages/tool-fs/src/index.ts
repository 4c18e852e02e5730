// The public surface: every name here is API.
export {
  fs,
  type BashCallOptions,
  type EditFileOptions,
  type FileEdit,
  type FsHelpers,
  type FsOptions,
  type ListOptions,
  type PatchFileOptions,
  type WriteFileOptions,
} from './provider.ts';
export { editTool } from './edit.ts';
export { lsTool } from './ls.ts';
export { readTool, type ReadOptions } from './read.ts';
export { writeTool } from './write.ts';
export { bashJobTool } from './bash-job.ts';
export { bashTool, type BashOptions } from './bash.ts';
export { patchTool } from './patch.ts';
export { gitTool } from './git.ts';
