import { accessSync, constants, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { createBudget, createHost, ToolError, type Approver, type Session } from '@toolwright/core';
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
import { loadMcp } from './load-mcp.ts';
import type { Options } from './options.ts';
import type { Terminal } from './terminal.ts';

/**
 * Opens the session that a command works in: the workspace, our families and those of the config, state in the
 * user's own directory. `tool` names the one tool that will be called, so that only its family is loaded.
 */
export async function openSession(
  options: Options,
  terminal: Terminal,
  tool?: string,
): Promise<Session> {
  const root = resolve(terminal.cwd, options.workspace ?? '.');
  const { config, secrets } = loadConfig(options.config, terminal);
  const stateDir = stateDirOf(root, terminal.env);
  const { providers, trusted, isPart } = await loadProviders({
    tool,
    config,
    names: options.providers,
    cwd: terminal.cwd,
  });
  try {
    const workspace = localWorkspace(root, {
      ...config.workspace,
      ...(stateDir === undefined ? {} : { stateDir }),
    });
    const mcp = isPart ? undefined : await loadMcp(config.mcpServers ?? {});
    const http = await openGuardedHttp({
      providers,
      mcpEndpoints: mcp?.endpoints,
      web: config.web ?? {},
      env: terminal.env,
    });
    const host = createHost({
      providers: mcp === undefined ? providers : [...providers, mcp.provider(http?.mcpClient)],
      ...(http === undefined ? {} : { hooks: [http.hooks] }),
      trustedOrchestrators: trusted,
      secrets,
      ...(config.policy === undefined ? {} : { policy: config.policy }),
      ...(config.budget === undefined ? {} : { budget: createBudget(config.budget) }),
      ...(config.projection === undefined ? {} : { projection: config.projection }),
    });
    const approver: Approver | undefined = approverFor(options, terminal);
    const session = await host.open({
      workspace,
      ...(http === undefined ? {} : { services: http.services }),
      ...(approver === undefined ? {} : { approver }),
      // One folder a workspace: what one call kept, the next one can read.
      ...(stateDir === undefined
        ? {}
        : {
            state: directoryState(join(stateDir, 'state')),
            artifacts: directoryArtifactStore(join(stateDir, 'artifacts')),
            ownsArtifacts: true,
          }),
    });
    return http === undefined ? session : closingWith(session, http.close);
  } catch (error) {
    if (error instanceof TypeError) throw new ConfigError(error.message);
    if (ToolError.isInstance(error)) throw new ConfigError(error.message);
    throw error;
  }
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
