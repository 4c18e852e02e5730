import { canonicalJson, isJsonObject, sha256Hex } from '@toolwright/core';
import type { JsonObject, JsonValue, StateStore } from '@toolwright/core';
import { secretsOf } from './config-secrets.ts';
import type { ServerSettings } from './server-config.ts';

/** What is kept of a tool that was seen: a digest of its definition, one of each part, and the definition itself. */
export interface StoredPin {
  readonly pin: string;
  readonly parts: Readonly<Record<string, string>>;
  /** Absent where it was too large to be kept. */
  readonly definition?: JsonObject;
}

/** What earlier processes have seen of one server. */
export interface PinStore {
  /** Never rejects: what cannot be read is told, and counts as not seen. */
  read(): Promise<ReadonlyMap<string, StoredPin>>;
  /** Keeps these, and beside them what else is kept by now, also by other processes; never rejects. */
  add(pins: ReadonlyMap<string, StoredPin>): Promise<void>;
}

/**
 * Pins in a host's state. They belong to the server's name and to where it is reached; another program or URL under the
 * same name is the host's own decision, and another server.
 */
export function createPinStore(
  state: StateStore,
  { name, endpoint }: Pick<ServerSettings, 'name' | 'endpoint'>,
  warn: (message: string) => void,
): PinStore {
  // Without its secrets, which change while the server stays the same, and have no business in a file.
  const secrets = secretsOf(endpoint).flatMap((secret) => [secret, encodeURIComponent(secret)]);
  const hidden = (text: string): string =>
    secrets.reduce((left, secret) => left.replaceAll(secret, '*'), text);
  const place: JsonObject =
    endpoint.kind === 'stdio'
      ? { name, command: endpoint.command, args: endpoint.args.map(hidden) }
      : { name, url: hidden(endpoint.url.href) };
  const key = `mcp-pins/${sha256Hex(canonicalJson(place)).slice(0, 32)}`;
  const read = async (): Promise<ReadonlyMap<string, StoredPin>> => {
    const bytes = await state.read(key);
    return bytes === undefined ? new Map() : parse(new TextDecoder().decode(bytes));
  };
  return {
    read: async () => {
      try {
        return await read();
      } catch (error) {
        warn(`what was known of its tools cannot be read: ${said(error)}`);
        return new Map();
      }
    },
    add: async (pins) => {
      // What cannot be read was told when it was to be read, and is written anew.
      const kept = await read().catch(() => new Map<string, StoredPin>());
      try {
        const tools = Object.fromEntries([...kept, ...pins]);
        await state.write(key, new TextEncoder().encode(JSON.stringify({ ...place, tools })));
      } catch (error) {
        warn(`what is known of its tools cannot be kept: ${said(error)}`);
      }
    },
  };
}

function parse(text: string): ReadonlyMap<string, StoredPin> {
  // Checked below.
  const value = JSON.parse(text) as JsonValue;
  const tools = isJsonObject(value) ? value['tools'] : undefined;
  if (!isJsonObject(tools)) throw new TypeError('it holds no tools');
  const pins = new Map<string, StoredPin>();
  for (const [tool, kept] of Object.entries(tools)) {
    if (!isJsonObject(kept) || typeof kept['pin'] !== 'string' || !isJsonObject(kept['parts'])) {
      throw new TypeError(`it holds no pin of ${tool}`);
    }
    const parts: Record<string, string> = {};
    for (const [name, digest] of Object.entries(kept['parts'])) {
      if (typeof digest === 'string') parts[name] = digest;
    }
    const { pin, definition } = kept;
    pins.set(tool, { pin, parts, ...(isJsonObject(definition) ? { definition } : {}) });
  }
  return pins;
}

function said(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
