// The public surface: every name here is API.
export {
  fs,
  type EditFileOptions,
  type FileEdit,
  type FsHelpers,
  type FsOptions,
  type ListOptions,
  type WriteFileOptions,
} from './provider.ts';
export { editTool } from './edit.ts';
export { lsTool } from './ls.ts';
export { readTool, type ReadOptions } from './read.ts';
export { writeTool } from './write.ts';
