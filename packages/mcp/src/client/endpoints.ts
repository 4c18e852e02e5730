import { readServers } from './server-config.ts';

/**
 * The socket endpoints that a config of MCP servers names and that no public address stands for: an `http://127.0.0.1:3000/mcp`
 * gives `127.0.0.1:3000`, and `localhost` both its addresses. For `allowPrivateHosts` of an HTTP client that MCP servers alone
 * use; names other than `localhost` are not looked up. Sorted, each once.
 */
export function mcpEndpoints(servers: Readonly<Record<string, unknown>>): readonly string[] {
  const endpoints = new Set<string>();
  for (const reading of readServers(servers)) {
    if (!reading.ok || reading.settings.disabled) continue;
    const { endpoint } = reading.settings;
    if (endpoint.kind !== 'http') continue;
    const { hostname, port, protocol } = endpoint.url;
    const number = port === '' ? (protocol === 'http:' ? '80' : '443') : port;
    if (hostname === 'localhost') {
      endpoints.add(`127.0.0.1:${number}`).add(`[::1]:${number}`);
    } else if (/^[0-9.]+$/.test(hostname) || hostname.startsWith('[')) {
      endpoints.add(`${hostname}:${number}`);
    }
  }
  return [...endpoints].sort();
}
