export { mcpEndpoints } from './client/endpoints.ts';
export { toExportName } from './client/export-name.ts';
export type {
  McpDefinitionChange,
  McpEvent,
  McpServerState,
  McpServerStatus,
} from './client/mcp-event.ts';
export { mcpServers, type McpProvider, type McpServersOptions } from './client/mcp-servers.ts';
export type { McpAuth } from './client/open-link.ts';
export type { McpProtocol, McpServerConfig, McpTrust } from './client/server-config.ts';
