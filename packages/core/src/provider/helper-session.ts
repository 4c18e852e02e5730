import type { JsonObject } from '../json/json.ts';
import type { CallOptions } from '../session/session.ts';
import type { ToolResult } from '../tool/tool-result.ts';

/**
 * What a provider's helper methods have of the session: the tools of their own provider, called as the host, while the
 * host's call of the helper lasts.
 */
export interface HelperSession {
  readonly id: string;
  /**
   * Calls a tool of the provider whose helper this is, as `Session.tool` does. Errors: `SessionClosedError`, and
   * `TypeError` for a tool of another provider or once the helper has settled.
   */
  tool(
    name: string,
    args?: JsonObject,
    options?: CallOptions & { readonly id?: string },
  ): Promise<ToolResult>;
}
