import { canonicalJson, isJsonObject, sha256Hex } from '@toolwright/core';
import type { JsonObject, JsonValue, StateStore } from '@toolwright/core';
import type { ServerSettings } from './server-config.ts';

/** What is kept of a tool that was seen: a digest of its definition, and one of each part. */
export interface StoredPin {
  readonly pin: string;
  readonly parts: Readonly<Record<string, string>>;
}

/** What earlier processes have seen of one server. */
export interface PinStore {
  /** Never rejects: what cannot be read is told, and counts as not seen. */
  read(): Promise<ReadonlyMap<string, StoredPin>>;
  /** Replaces what is kept; never rejects. */
  write(pins: ReadonlyMap<string, StoredPin>): Promise<void>;
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
  const place: JsonObject =
    endpoint.kind === 'stdio'
      ? { name, command: endpoint.command, args: [...endpoint.args] }
      : { name, url: endpoint.url.href };
  const key = `mcp-pins/${sha256Hex(canonicalJson(place)).slice(0, 32)}`;
  return {
    read: async () => {
      try {
        const bytes = await state.read(key);
        return bytes === undefined ? new Map() : parse(new TextDecoder().decode(bytes));
      } catch (error) {
        warn(`what was known of its tools cannot be read: ${said(error)}`);
        return new Map();
      }
    },
    write: async (pins) => {
      try {
        const text = JSON.stringify({ ...place, tools: Object.fromEntries(pins) });
        await state.write(key, new TextEncoder().encode(text));
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
    pins.set(tool, { pin: kept['pin'], parts });
  }
  return pins;
}

function said(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
