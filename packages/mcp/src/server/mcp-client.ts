import type { InputRequest, LoggingLevel } from '@modelcontextprotocol/server';
import type { Approver, OpenOptions } from '@toolwright/core';

/** The client that a session is opened for, as far as it can be asked and told things. */
export interface McpClient {
  /** Who it is by its credentials; undefined on stdio and where the server asks for none. */
  readonly principal: string | undefined;
  /**
   * Puts what policy asks before the person at the client, with its exact effects (MCP elicitation); says that nobody
   * is there when the client cannot ask. For `host.open`.
   */
  readonly approver: Approver;
  /** Puts a tool's question before the person at the client. For `host.open`. */
  readonly asker: NonNullable<OpenOptions['asker']>;
  /**
   * The directories that the client shares as its roots, as `file:` URIs; undefined when it shares none. Asked during
   * the first call and again after the client told of a change. Roots narrow what a session may reach, never widen it.
   */
  roots(): Promise<readonly string[] | undefined>;
  /**
   * Sends a request to the client in the course of a running call and resolves to its bare answer. `key` names it in
   * the newer protocol. Errors: `ToolError` `unsupported` when the client has not declared the capability.
   */
  request(
    invocationId: string,
    key: string,
    request: InputRequest,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Whether the client of a running call declared what `request` would need. */
  canRequest(invocationId: string, request: InputRequest): boolean;
  /** A log message to the client of a running call, as far as its level asks for it. */
  log(invocationId: string, level: LoggingLevel, data: unknown): Promise<void>;
  /** Tells the client that the list of prompts, of resources, or one resource has changed. */
  changed(what: 'prompts' | 'resources' | { readonly resource: string }): void;
}
