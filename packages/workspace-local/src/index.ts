// The public surface: every name here is API.
export { localWorkspace, type LocalWorkspaceOptions } from './local-workspace.ts';
export type { GitOptions } from './git/local-git.ts';
export type { CommandOptions } from './processes/local-commands.ts';
export type { ProcessOptions } from './processes/local-processes.ts';
export type { SandboxOptions } from './sandbox/sandbox.ts';
export { directoryState, stateFolderOf } from './state/directory-state.ts';
export {
  directoryArtifactStore,
  type DirectoryArtifactStoreOptions,
} from './artifacts/directory-artifact-store.ts';
