// The public surface of the server: every name here is API.
export type { McpClient } from './mcp-client.ts';
export type {
  CompletionProvider,
  OpenSession,
  PromptProvider,
  ProviderRequest,
  ResourceProvider,
  ServeOptions,
} from './serve-options.ts';
export { serveStdio, type ServeStdioOptions, type StdioServing } from './serve-stdio.ts';
export { narrowToRoots } from './narrow-to-roots.ts';
export { serveHttp, type HttpServing, type ServeHttpOptions } from './serve-http.ts';
export { staticTokens, type HttpAuth } from './http-auth.ts';
export type { HttpGuardOptions } from './http-guard.ts';
