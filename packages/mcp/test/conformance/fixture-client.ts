// The client that the conformance suite drives: a session whose one MCP server is the suite's. `node fixture-client.ts URL`,
// with the scenario's name and context in the environment.
import { createHost, isJsonArray, isJsonObject, memoryWorkspace } from '@toolwright/core';
import type { JsonObject, JsonSchema, JsonValue, Session } from '@toolwright/core';
import { mcpServers, toExportName, type McpProvider } from '@toolwright/mcp';
import { oauthClient, type AgreeingClient } from './oauth-client.ts';
import { openHttp } from './open-http.ts';

const url = process.argv.at(-1) ?? '';
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const version = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] ?? '';
const context = readContext(process.env['MCP_CONFORMANCE_CONTEXT']);
/** Authorizations that one run goes through before it connects, and how often it makes a call that wants another. */
const maxAuthorizations = 2;
const maxAttempts = 2;

const oauth = scenario.startsWith('auth/') ? oauthClient(scenario, context) : undefined;
const mcp = mcpServers(
  {
    suite: {
      url,
      type: 'http',
      trust: 'trusted',
      protocol: version === '2026-07-28' ? 'auto' : 'legacy',
    },
  },
  { http: openHttp(), ...(oauth === undefined ? {} : { auth: () => oauth.provider }) },
);
const host = createHost({ providers: [mcp] });
const session = await host.open({
  workspace: memoryWorkspace(),
  services: { http: openHttp() },
  // A person who takes what is proposed.
  asker: async ({ options }) => ({ answered: true, answer: options?.[0] ?? '' }),
});
try {
  await session.ready();
  for (let count = 0; count < maxAuthorizations && (await authorized(mcp, oauth)); count += 1);
  for (const { name, args } of callsOf(session)) {
    for (let count = 0; count < maxAttempts; count += 1) {
      const { error } = await session.tool(name, args);
      if (error !== null) process.stderr.write(`${name}: ${error.type}: ${error.message}\n`);
      if (error?.reason !== 'needs_auth' || !(await authorized(mcp, oauth))) break;
    }
  }
  const [status] = mcp.status(session.id);
  if (status?.state !== 'ready')
    throw new Error(`The server is ${status?.state}: ${status?.reason}`);
} finally {
  await session.close();
}
process.exit(0);

/** Redeems an authorization that was asked for; false when none was. */
async function authorized(
  provider: McpProvider,
  client: AgreeingClient | undefined,
): Promise<boolean> {
  const params = client?.take();
  if (params === undefined) return false;
  await provider.finishAuth(session.id, 'suite', params);
  return true;
}

/** The calls that the context names; else one of each tool, with arguments that fit. */
function callsOf(from: Session): readonly { readonly name: string; readonly args: JsonObject }[] {
  const named = context['toolCalls'];
  if (isJsonArray(named)) {
    return named.filter(isJsonObject).map(({ name, arguments: args }) => ({
      name: toExportName('suite', typeof name === 'string' ? name : ''),
      args: isJsonObject(args) ? args : {},
    }));
  }
  return from
    .toolDefinitions()
    .map(({ name, parameters }) => ({ name, args: sampleOf(parameters) }));
}

function sampleOf(schema: JsonSchema): JsonObject {
  const { properties, required } = schema;
  const names = isJsonArray(required) ? required.map(String) : [];
  return Object.fromEntries(
    names.map((name) => [
      name,
      sampleValue(isJsonObject(properties) ? properties[name] : undefined),
    ]),
  );
}

function sampleValue(schema: JsonValue | undefined): JsonValue {
  if (!isJsonObject(schema)) return 'sample';
  if (isJsonArray(schema['enum']) && schema['enum'].length > 0) return schema['enum'][0] ?? null;
  switch (schema['type']) {
    case 'number':
    case 'integer':
      return 3;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return sampleOf(schema);
    default:
      return 'sample';
  }
}

function readContext(text: string | undefined): JsonObject {
  // The suite writes JSON.
  const value: JsonValue = text === undefined || text === '' ? {} : (JSON.parse(text) as JsonValue);
  return isJsonObject(value) ? value : {};
}
