import type { Hooks, HttpClient, Provider } from '@toolwright/core';
import type { Config } from './config/load-config.ts';
import type { Terminal } from './terminal.ts';

/** The session's guarded transport, and the hooks through which it learns what results have shown. */
export interface GuardedHttp {
  readonly client: HttpClient;
  readonly hooks: Hooks;
}

/**
 * Opens the transport where a loaded tool can use it: most calls open no URL, and need not wait for its code. Requests
 * that would carry out a secret of the environment, or content of earlier results in disguise, are asked about. Errors:
 * `TypeError` and `ToolError` for `web` settings that cannot be.
 */
export async function openGuardedHttp(options: {
  readonly providers: readonly Provider[];
  readonly web: NonNullable<Config['web']>;
  readonly env: Terminal['env'];
}): Promise<GuardedHttp | undefined> {
  const isNeeded = options.providers.some(({ tools }) =>
    tools.some(({ requires, uses }) => requires.includes('http') || uses.includes('http')),
  );
  if (!isNeeded) return undefined;
  const { createEgressGuard, createHttpClient, secretsOfEnvironment } =
    await import('@toolwright/safe-http');
  const egress = createEgressGuard({ secrets: secretsOfEnvironment(options.env) });
  return { client: createHttpClient({ ...options.web, egress }), hooks: egress.hooks };
}
