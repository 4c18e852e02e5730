import { accessSync, constants, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  conservativeProjection,
  createBudget,
  createHost,
  ToolError,
  type ProjectionPolicy,
  type Session,
  type Workspace,
} from '@toolwright/core';
import type { McpClient } from '@toolwright/mcp/server';
import {
  directoryArtifactStore,
  directoryState,
  localWorkspace,
  stateFolderOf,
} from '@toolwright/workspace-local';
import { approverFor } from './approve.ts';
import { ConfigError } from './config/config-error.ts';
import { loadConfig } from './config/load-config.ts';
import { loadProviders } from './families.ts';
import { closingWith } from './closing-with.ts';
import { openGuardedHttp } from './guarded-http.ts';
import { loadMcp, tellChange } from './load-mcp.ts';
import type { Options } from './options.ts';
import type { Terminal } from './terminal.ts';

/** Clients spill or refuse results of much more; beginning and end are shown, the whole is a resource. */
const clientProjection: ProjectionPolicy = {
  ...conservativeProjection,
  max_output_bytes: 65_536,
  head_bytes: 40_960,
  tail_bytes: 20_480,
};

/** What a command wants of its session. */
export interface SessionWanted {
  /** The one tool that will be called: only its family is loaded. */
  readonly tool?: string;
  /** The MCP client that the session is for: its person is asked, and its roots narrow the workspace. */
  readonly client?: McpClient;
  /** A workspace that other sessions of this process work on too; nothing that this one keeps is theirs. */
  readonly shared?: Workspace;
}

/** The workspace that the options name. Errors: `ConfigError` for what is no directory. */
export function openWorkspace(options: Options, terminal: Terminal): Workspace {
  const root = rootOf(options, terminal);
  const { config } = loadConfig(options.config, terminal);
  const stateDir = stateDirOf(root, terminal.env);
  try {
    return localWorkspace(root, {
      ...config.workspace,
      ...(stateDir === undefined ? {} : { stateDir }),
    });
  } catch (error) {
    if (ToolError.isInstance(error)) throw new ConfigError(`${root}: ${error.message}`);
    throw error;
  }
}

function rootOf(options: Options, terminal: Terminal): string {
  return resolve(terminal.cwd, options.workspace ?? '.');
}

/**
 * Opens the session that a command works in: the workspace, our families and those of the config, state in the
 * user's own directory.
 */
export async function openSession(
  options: Options,
  terminal: Terminal,
  wanted: SessionWanted = {},
): Promise<Session> {
  const { tool, client } = wanted;
  const root = rootOf(options, terminal);
  const { config, secrets } = loadConfig(options.config, terminal);
  const stateDir = stateDirOf(root, terminal.env);
  const { providers, trusted, isPart } = await loadProviders({
    tool,
    config,
    names: options.providers,
    cwd: terminal.cwd,
  });
  try {
    const base = wanted.shared ?? openWorkspace(options, terminal);
    const mcp = isPart ? undefined : await loadMcp(config.mcpServers ?? {}, terminal);
    const http = await openGuardedHttp({
      providers,
      mcpEndpoints: mcp?.endpoints,
      web: config.web ?? {},
      env: terminal.env,
    });
    const projection = config.projection ?? (client === undefined ? undefined : clientProjection);
    const host = createHost({
      providers:
        mcp === undefined
          ? providers
          : [...providers, mcp.provider(http?.mcpClient, (event) => tellChange(event, terminal))],
      ...(http === undefined ? {} : { hooks: [http.hooks] }),
      trustedOrchestrators: trusted,
      secrets,
      ...(config.policy === undefined ? {} : { policy: config.policy }),
      ...(config.budget === undefined ? {} : { budget: createBudget(config.budget) }),
      ...(projection === undefined ? {} : { projection }),
    });
    const approver =
      client === undefined || options.yes ? approverFor(options, terminal) : client.approver;
    const session = await host.open({
      workspace: client === undefined ? base : await narrowed(base, client, wanted.shared),
      ...(client === undefined ? {} : { asker: client.asker }),
      ...(http === undefined ? {} : { services: http.services }),
      ...(approver === undefined ? {} : { approver }),
      // One folder a workspace: what one call kept, the next one can read.
      ...(stateDir === undefined
        ? {}
        : {
            state: directoryState(join(stateDir, 'state')),
            // Outputs stay with the client that made them where there are several.
            ...(wanted.shared === undefined && {
              artifacts: directoryArtifactStore(join(stateDir, 'artifacts')),
              ownsArtifacts: true,
            }),
          }),
    });
    return http === undefined ? session : closingWith(session, http.close);
  } catch (error) {
    if (error instanceof TypeError) throw new ConfigError(error.message);
    if (ToolError.isInstance(error)) throw new ConfigError(error.message);
    throw error;
  }
}

/** The part of a workspace that a client shares. A shared one is closed by who opened it, not with this session. */
async function narrowed(
  base: Workspace,
  client: McpClient,
  shared: Workspace | undefined,
): Promise<Workspace> {
  const { narrowToRoots } = await import('@toolwright/mcp/server');
  const workspace = narrowToRoots(base, client);
  return shared === undefined ? workspace : { ...workspace, close: async () => {} };
}

/** The folder of a workspace in the user's state directory; undefined where none can be written. */
function stateDirOf(root: string, env: Terminal['env']): string | undefined {
  const base = env['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state');
  const folder = join(base, 'toolwright', stateFolderOf(root));
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
    return folder;
  } catch {
    return undefined;
  }
}
