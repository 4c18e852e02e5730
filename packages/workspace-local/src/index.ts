// The public surface: every name here is API.
export { localWorkspace, type LocalWorkspaceOptions } from './local-workspace.ts';
