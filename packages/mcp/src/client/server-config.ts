import { nearestName, type JsonObject } from '@toolwright/core';

/** How much a host believes what a server says of its own tools. */
export type McpTrust = 'untrusted' | 'annotations' | 'trusted';

/** Which protocol revision to speak: `auto` asks the server, `legacy` is the handshake of 2025 and before. */
export type McpProtocol = 'auto' | 'legacy' | '2026-07-28';

/**
 * One MCP server, in the form that MCP clients share (`command` or `url`), with what a host may add. The other
 * spellings that are in use (`httpUrl`, `transportType`, `transport: { type, … }`, `serverUrl`) are read as well;
 * unknown keys are left alone.
 */
export interface McpServerConfig {
  /** A program to start and to speak to over its stdin and stdout. */
  readonly command?: string;
  readonly args?: readonly string[];
  /** Added to the few variables that a server inherits: `HOME`, `LOGNAME`, `PATH`, `SHELL`, `TERM`, `USER`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** An http or https URL to speak Streamable HTTP to. */
  readonly url?: string;
  /** `stdio`, `http` (also `streamable-http`) or `sse`. Default: by `command` and `url`; then SSE may be fallen back to. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Not started; listed with that reason. Default false. */
  readonly disabled?: boolean;
  /** Tools are found by `tool_search` first. Default false. */
  readonly defer?: boolean;
  /** Default `untrusted`: every call has unknown effects, so policy asks. */
  readonly trust?: McpTrust;
  /** Milliseconds that a call may be silent; progress starts them again. Default 60,000. */
  readonly timeoutMs?: number;
  /** Milliseconds that a call may last in all. Default 600,000. */
  readonly maxTotalMs?: number;
  /** Whether progress starts `timeoutMs` again. Default true. */
  readonly resetTimeoutOnProgress?: boolean;
  /** Milliseconds for starting, greeting and the first list. Default 30,000. */
  readonly connectTimeoutMs?: number;
  /** Default `legacy` for programs, which may exit on a question they do not know, and `auto` for URLs. */
  readonly protocol?: McpProtocol;
  /** Only these tools, by the server's own names. Default all. */
  readonly includeTools?: readonly string[];
  /** Never these; wins over `includeTools`. */
  readonly excludeTools?: readonly string[];
  /** Tools whose calls are not asked about, by the server's own names, as if the server were trusted. Default none. */
  readonly autoApprove?: readonly string[];
  /** Directories (`file:` URLs or absolute paths) that the server is told of. Default none: the capability is not declared. */
  readonly roots?: readonly string[];
  /** Calls that are idempotent by the server's word are made again after the connection was lost. Default false. */
  readonly retry?: boolean;
  /** Bytes of one message from the server. Default 67,108,864. */
  readonly maxMessageBytes?: number;
  /** Restarts of a server that went away, in five minutes. Default 6. */
  readonly maxRestarts?: number;
}

/** Where a server is reached. */
export type ServerEndpoint =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string | undefined;
    }
  | {
      readonly kind: 'http';
      readonly url: URL;
      readonly headers: Readonly<Record<string, string>>;
      /** `any`: Streamable HTTP, and the older HTTP+SSE where a server knows only that. */
      readonly flavour: 'any' | 'streamable' | 'sse';
    };

/** A server's config, read: every default filled in. */
export interface ServerSettings {
  readonly name: string;
  readonly endpoint: ServerEndpoint;
  readonly disabled: boolean;
  readonly defer: boolean;
  readonly trust: McpTrust;
  readonly timeoutMs: number;
  readonly maxTotalMs: number;
  readonly resetTimeoutOnProgress: boolean;
  readonly connectTimeoutMs: number;
  readonly protocol: McpProtocol;
  readonly includeTools: ReadonlySet<string> | undefined;
  readonly excludeTools: ReadonlySet<string>;
  readonly autoApprove: ReadonlySet<string>;
  readonly roots: readonly string[];
  readonly retry: boolean;
  readonly maxMessageBytes: number;
  readonly maxRestarts: number;
  /** Keys that nothing reads and that look like others. */
  readonly warnings: readonly string[];
}

/** Every key that is read, in each of its spellings. */
const KEYS = `
  command args env cwd url httpUrl serverUrl headers type transport transportType disabled
  enabled defer trust protocol timeoutMs maxTotalMs resetTimeoutOnProgress connectTimeoutMs
  roots retry includeTools allowedTools enabledTools excludeTools excludedTools
  disabledTools deniedTools autoApprove alwaysAllow maxMessageBytes maxRestarts
`
  .trim()
  .split(/\s+/);

/** A config that can be used, or why this one server cannot. */
export type ServerReading =
  | { readonly ok: true; readonly settings: ServerSettings }
  | { readonly ok: false; readonly name: string; readonly reason: string };

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_MAX_TOTAL_MS = 600_000;
const DEFAULT_CONNECT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const DEFAULT_MAX_RESTARTS = 6;
/** What a timer of Node takes. */
const MAX_MS = 2_147_483_647;

/**
 * Reads a collection of servers, each on its own: a mistake in one is that one's failure. A whole file in the form
 * `{ "mcpServers": … }` or `{ "servers": … }` may be given too.
 */
export function readServers(servers: Readonly<Record<string, unknown>>): readonly ServerReading[] {
  return Object.entries(unwrapped(servers)).map(([name, value]) => {
    try {
      return { ok: true, settings: readServer(name, value) };
    } catch (error) {
      if (!(error instanceof ServerConfigError)) throw error;
      return { ok: false, name, reason: `config_error: ${error.message}` };
    }
  });
}

class ServerConfigError extends Error {
  override readonly name = 'ServerConfigError';
}

function unwrapped(servers: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  for (const key of ['mcpServers', 'servers']) {
    const inner = servers[key];
    if (isRecord(inner) && Object.values(inner).every((value) => isRecord(value))) return inner;
  }
  return servers;
}

function readServer(name: string, value: unknown): ServerSettings {
  if (!isRecord(value)) throw new ServerConfigError('it is no object');
  const nested = isRecord(value['transport']) ? value['transport'] : {};
  const config = { ...value, ...nested };
  const disabled = flag(config, 'disabled') ?? flag(config, 'enabled') === false;
  // One that is not started needs nothing of what it would be started with.
  if (!disabled) assertFilledIn(config, '');
  const endpoint = readEndpoint(config);
  const protocol = word(config, 'protocol', ['auto', 'legacy', '2026-07-28'] as const);
  const include = names(config, ['includeTools', 'allowedTools', 'enabledTools']);
  return {
    name,
    endpoint,
    disabled,
    defer: flag(config, 'defer') ?? false,
    trust: word(config, 'trust', ['untrusted', 'annotations', 'trusted'] as const) ?? 'untrusted',
    timeoutMs: amount(config, 'timeoutMs', MAX_MS) ?? DEFAULT_TIMEOUT_MS,
    maxTotalMs: amount(config, 'maxTotalMs', MAX_MS) ?? DEFAULT_MAX_TOTAL_MS,
    resetTimeoutOnProgress: flag(config, 'resetTimeoutOnProgress') ?? true,
    connectTimeoutMs: amount(config, 'connectTimeoutMs', MAX_MS) ?? DEFAULT_CONNECT_TIMEOUT_MS,
    protocol: protocol ?? (endpoint.kind === 'stdio' ? 'legacy' : 'auto'),
    includeTools: include === undefined ? undefined : new Set(include),
    excludeTools: new Set(
      names(config, ['excludeTools', 'excludedTools', 'disabledTools', 'deniedTools']) ?? [],
    ),
    autoApprove: new Set(names(config, ['autoApprove', 'alwaysAllow']) ?? []),
    roots: texts(config, 'roots') ?? [],
    retry: flag(config, 'retry') ?? false,
    maxMessageBytes:
      amount(config, 'maxMessageBytes', Number.MAX_SAFE_INTEGER) ?? DEFAULT_MAX_MESSAGE_BYTES,
    maxRestarts: amount(config, 'maxRestarts', 1_000_000) ?? DEFAULT_MAX_RESTARTS,
    warnings: Object.keys(config).flatMap(misspelt),
  };
}

/** Other clients have keys of their own, which are left alone; one that is nearly ours is a wish that nobody heard. */
function misspelt(key: string): readonly string[] {
  const nearest = KEYS.includes(key) ? undefined : nearestName(key, KEYS);
  return nearest === undefined
    ? []
    : [`the key ${JSON.stringify(key)} is not read; did you mean ${nearest}?`];
}

function readEndpoint(config: Readonly<Record<string, unknown>>): ServerEndpoint {
  const type = (
    text(config, 'type') ??
    text(config, 'transportType') ??
    text(config, 'transport') ??
    ''
  )
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
  const known = ['', 'stdio', 'local', 'http', 'streamablehttp', 'remote', 'sse'];
  if (!known.includes(type)) {
    throw new ServerConfigError(`type ${JSON.stringify(type)} is none of stdio, http, sse`);
  }
  const httpUrl = text(config, 'httpUrl');
  const url = httpUrl ?? text(config, 'url') ?? text(config, 'serverUrl');
  const command = text(config, 'command');
  if (command !== undefined && url !== undefined) {
    throw new ServerConfigError('it has both a command and a url; give one');
  }
  if (command !== undefined) {
    if (!['', 'stdio', 'local'].includes(type)) {
      throw new ServerConfigError(`it has a command, and the type ${type} needs a url`);
    }
    if (command.trim() === '') throw new ServerConfigError('command is empty');
    return {
      kind: 'stdio',
      command,
      args: texts(config, 'args') ?? [],
      env: record(config, 'env') ?? {},
      cwd: text(config, 'cwd'),
    };
  }
  if (url === undefined) throw new ServerConfigError('it has neither a command nor a url');
  if (type === 'stdio' || type === 'local') {
    throw new ServerConfigError(`it has a url, and the type ${type} needs a command`);
  }
  const flavour =
    type === 'sse' ? 'sse' : type === 'http' || type === 'streamablehttp' ? 'streamable' : 'any';
  return {
    kind: 'http',
    url: readUrl(url),
    headers: record(config, 'headers') ?? {},
    flavour: httpUrl === undefined ? flavour : 'streamable',
  };
}

function readUrl(url: string): URL {
  if (!URL.canParse(url)) throw new ServerConfigError('url is no absolute URL');
  const parsed = new URL(url);
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') {
    throw new ServerConfigError(`url has the scheme ${parsed.protocol} and needs http: or https:`);
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new ServerConfigError('url holds credentials; put them into headers');
  }
  parsed.hash = '';
  return parsed;
}

/** A placeholder that nobody has filled in must not reach a server as text. */
function assertFilledIn(value: unknown, path: string): void {
  if (typeof value === 'string') {
    const open = /\$\{([^}]*)\}/.exec(value);
    if (open === null) return;
    const [text, inside = ''] = open;
    const variable = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)$/.exec(inside)?.[1];
    const problem =
      variable === undefined ? `${text} is not filled in` : `env ${variable} is not set`;
    throw new ServerConfigError(`${problem} (${path})`);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    assertFilledIn(item, path === '' ? key : `${path}.${key}`);
  }
}

function text(config: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = config[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  if (key === 'transport' && isRecord(value)) return undefined;
  throw new ServerConfigError(`${key} is no text`);
}

function flag(config: Readonly<Record<string, unknown>>, key: string): boolean | undefined {
  const value = config[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  throw new ServerConfigError(`${key} is neither true nor false`);
}

function amount(
  config: Readonly<Record<string, unknown>>,
  key: string,
  max: number,
): number | undefined {
  const value = config[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max) {
    return value;
  }
  throw new ServerConfigError(`${key} must be a whole number from 1 to ${max}`);
}

function word<const W extends string>(
  config: Readonly<Record<string, unknown>>,
  key: string,
  allowed: readonly W[],
): W | undefined {
  const value = config[key];
  if (value === undefined || value === null) return undefined;
  const found = allowed.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw new ServerConfigError(`${key} must be one of ${allowed.join(', ')}`);
}

function texts(
  config: Readonly<Record<string, unknown>>,
  key: string,
): readonly string[] | undefined {
  const value = config[key];
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw new ServerConfigError(`${key} is no list of texts`);
  }
  return value;
}

function names(
  config: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): readonly string[] | undefined {
  const lists = keys.map((key) => texts(config, key)).filter((list) => list !== undefined);
  return lists.length === 0 ? undefined : lists.flat();
}

function record(
  config: Readonly<Record<string, unknown>>,
  key: string,
): Readonly<Record<string, string>> | undefined {
  const value = config[key];
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value)) throw new ServerConfigError(`${key} is no object`);
  const entries: Record<string, string> = {};
  for (const [name, item] of Object.entries(value)) {
    if (typeof item === 'number' || typeof item === 'boolean') entries[name] = String(item);
    else if (typeof item === 'string') entries[name] = item;
    else throw new ServerConfigError(`${key}.${name} is no text`);
  }
  return entries;
}

function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
