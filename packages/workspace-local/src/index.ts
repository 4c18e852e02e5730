// The public surface: every name here is API.
export { localWorkspace, type LocalWorkspaceOptions } from './local-workspace.ts';
export { directoryState, stateFolderOf } from './state/directory-state.ts';
