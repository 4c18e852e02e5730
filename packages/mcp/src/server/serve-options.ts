import type {
  CompleteRequestParams,
  GetPromptResult,
  Implementation,
  InputRequiredResult,
  LoggingLevel,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
} from '@modelcontextprotocol/server';
import type { Session } from '@toolwright/core';
import type { McpClient } from './mcp-client.ts';

/**
 * Opens the kernel session of one client: a whole stdio connection, one HTTP session of the older protocol, or one
 * principal of the newer one, which knows no sessions. What the client offers to ask its person with is handed in, to be
 * given to `host.open`. The server closes the session when the client is gone.
 */
export type OpenSession = (client: McpClient) => Promise<Session>;

/** What a person's answers came back as, for providers that ask: see `inputRequired` of the MCP SDK. */
export interface ProviderRequest {
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined;
  readonly signal: AbortSignal;
}

/** Prompts that the server offers beside its tools. */
export interface PromptProvider {
  list(): Promise<readonly Prompt[]>;
  /** Resolves to undefined for a name that it does not have. */
  get(
    name: string,
    args: Readonly<Record<string, string>>,
    request: ProviderRequest,
  ): Promise<GetPromptResult | InputRequiredResult | undefined>;
}

/** Resources that the server offers beside the session's artifacts. */
export interface ResourceProvider {
  list(): Promise<readonly Resource[]>;
  templates?(): Promise<readonly ResourceTemplateType[]>;
  /** Resolves to undefined for a URI that it does not have. */
  read(
    uri: string,
    request: ProviderRequest,
  ): Promise<ReadResourceResult | InputRequiredResult | undefined>;
}

/** Completes the arguments of prompts and resource templates: the values that fit, at most 100 are sent. */
export type CompletionProvider = (request: CompleteRequestParams) => Promise<readonly string[]>;

/** How a session is shown to MCP clients. */
export interface ServeOptions {
  /** Default: `toolwright`, with the version of this package. */
  readonly serverInfo?: Implementation;
  /** Told to the client in front of the session's own instructions; both together are cut at 2,048 bytes. */
  readonly instructions?: string;
  readonly prompts?: PromptProvider;
  readonly resources?: ResourceProvider;
  readonly completions?: CompletionProvider;
  /** The lowest level of log messages for a client of the older protocol that sets none. Default `warning`. */
  readonly logLevel?: LoggingLevel;
  /** Hears of what went wrong outside of any call: lines that are no JSON-RPC, connections that broke. */
  readonly onError?: (error: Error) => void;
}
