import { isJsonObject, type JsonObject, type JsonValue } from '@toolwright/core';

/** An argument that the server wants to see as a header as well (`x-mcp-header`, SEP-2243). */
export interface ParamHeader {
  readonly path: readonly string[];
  readonly header: string;
}

/** The declarations of a schema, or what is wrong with one of them. */
export type ParamHeaderReading =
  | { readonly ok: true; readonly headers: readonly ParamHeader[] }
  | { readonly ok: false; readonly reason: string };

const KEY = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const PRIMITIVE = ['string', 'integer', 'boolean'];
const MAX_DEPTH = 32;

/** Reads the declarations of an input schema: on properties of primitive types, each name once. */
export function readParamHeaders(schema: unknown): ParamHeaderReading {
  const headers: ParamHeader[] = [];
  const names = new Set<string>();
  const problem = visit(schema as JsonValue, { path: [], reachable: true, headers, names });
  return problem === undefined ? { ok: true, headers } : { ok: false, reason: problem };
}

interface Visit {
  readonly path: readonly string[];
  /** Only properties of properties have one place in the arguments. */
  readonly reachable: boolean;
  readonly headers: ParamHeader[];
  readonly names: Set<string>;
}

function visit(node: JsonValue, at: Visit): string | undefined {
  if (at.path.length > MAX_DEPTH || typeof node !== 'object' || node === null) return undefined;
  if (Array.isArray(node)) return visitAll(node, { ...at, reachable: false });
  if (!isJsonObject(node)) return undefined;
  if (Object.hasOwn(node, KEY)) {
    const problem = declare(node, at);
    if (problem !== undefined) return problem;
  }
  for (const [keyword, value] of Object.entries(node)) {
    if (keyword === 'properties' && isJsonObject(value)) {
      for (const [name, property] of Object.entries(value)) {
        const problem = visit(property, { ...at, path: [...at.path, name] });
        if (problem !== undefined) return problem;
      }
    } else if (!dataKeywords.has(keyword)) {
      const problem = visit(value, { ...at, path: [...at.path, keyword], reachable: false });
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

/** Keywords whose values are data, where `x-mcp-header` would be a name like any other. */
const dataKeywords = new Set([KEY, 'const', 'default', 'enum', 'examples']);

function visitAll(nodes: readonly JsonValue[], at: Visit): string | undefined {
  for (const node of nodes) {
    const problem = visit(node, at);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function declare(node: JsonObject, { path, reachable, headers, names }: Visit): string | undefined {
  const place = path.join('.') || 'the top';
  const header = node[KEY];
  if (typeof header !== 'string' || !TOKEN.test(header)) return `${place}: no header name`;
  if (!reachable || path.length === 0) return `${place}: only properties can be headers`;
  if (typeof node['type'] !== 'string' || !PRIMITIVE.includes(node['type'])) {
    return `${place}: only texts, integers and booleans can be headers`;
  }
  if (names.has(header.toLowerCase())) return `${place}: ${header} is declared twice`;
  names.add(header.toLowerCase());
  headers.push({ path, header });
  return undefined;
}

/** The headers of one call; undefined where there are none. */
export function toParamHeaders(
  declared: readonly ParamHeader[],
  args: JsonObject,
): Readonly<Record<string, string>> | undefined {
  const headers: Record<string, string> = {};
  for (const { path, header } of declared) {
    const value = path.reduce<JsonValue | undefined>(
      (node, key) => (isJsonObject(node) && Object.hasOwn(node, key) ? node[key] : undefined),
      args,
    );
    const text = toText(value);
    if (text !== undefined) headers[`Mcp-Param-${header}`] = encoded(text);
  }
  return Object.keys(headers).length === 0 ? undefined : headers;
}

function toText(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}

/** Text that a header cannot carry as it is goes in base64, marked as such. */
function encoded(text: string): string {
  const plain = /^[\t\u0020-\u007E]+$/.test(text) && text === text.trim();
  if (plain && !/^=\?base64\?.*\?=$/.test(text)) return text;
  return `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}
