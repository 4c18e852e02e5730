import type { WorkspaceCapability } from '../workspace/workspace.ts';
import type { BrowserClient } from './browser-client.ts';
import type { EmbeddingClient } from './embedding-client.ts';
import type { HttpClient } from './http-client.ts';
import type { ModelClient } from './model-client.ts';

/** What a host can give a session beside the workspace; tools see guarded views. */
export interface HostServices {
  readonly http?: HttpClient;
  readonly models?: ModelClient;
  readonly embeddings?: EmbeddingClient;
  readonly browser?: BrowserClient;
}

/** The service ids, as they stand in `requires`. */
export type ServiceCapability = keyof HostServices;

/** What a tool can require: a workspace capability or a host service. */
export type CapabilityId = WorkspaceCapability | ServiceCapability;

/** Every capability id, in the order in which listings show them. */
export const capabilityIds: readonly CapabilityId[] = [
  'files.read',
  'files.write',
  'files.walk',
  'processes',
  'git',
  'search',
  'local',
  'http',
  'models',
  'embeddings',
  'browser',
];
