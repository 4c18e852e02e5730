import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { isNestedTooDeeply } from '../wire/nesting.ts';
import { checkRequest } from './check-request.ts';

/** Why a line is no message, as JSON-RPC says it. */
export interface Refusal {
  /** The id of what was refused, where it has one; as in the request, a string stays one. */
  readonly id: string | number | null;
  readonly code: -32_700 | -32_600 | -32_602;
  readonly message: string;
}

/** What one line held. */
export type ReadMessage =
  | { readonly kind: 'message'; readonly message: JSONRPCMessage }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/**
 * Reads a line as JSON-RPC: one message, or the items of a batch (protocol revision 2025-03-26) one by one. A blank line
 * holds nothing; a byte order mark is skipped. Notifications that are malformed are refused like requests, because
 * without a good shape nobody can tell them apart.
 */
export function readMessage(line: string): readonly ReadMessage[] {
  const text = line.startsWith('\ufeff') ? line.slice(1) : line;
  if (text.trim() === '') return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [refused(null, -32_700, 'This line is no JSON; send one JSON-RPC message a line.')];
  }
  if (!Array.isArray(value)) return read(value);
  if (value.length === 0) {
    return [refused(null, -32_600, 'A batch holds at least one message.')];
  }
  return value.flatMap(read);
}

function read(value: unknown): readonly ReadMessage[] {
  if (!isRecord(value)) {
    return [refused(null, -32_600, 'A JSON-RPC message is an object.')];
  }
  const { jsonrpc, id, method, params } = value;
  const known = typeof id === 'string' || typeof id === 'number' ? id : null;
  if (jsonrpc !== '2.0') {
    return [refused(known, -32_600, 'A JSON-RPC message has "jsonrpc": "2.0".')];
  }
  if (method === undefined) return readResponse(value, known);
  if (typeof method !== 'string') {
    return [refused(known, -32_600, '"method" must be a string.')];
  }
  if ('id' in value && typeof id !== 'string' && !Number.isSafeInteger(id)) {
    return [refused(known, -32_600, '"id" must be a string or a whole number.')];
  }
  if (!isParams(params)) {
    return 'id' in value
      ? [
          refused(
            known,
            -32_602,
            '"params" must be an object; its "_meta" too, with a progressToken that is a string or a whole number.',
          ),
        ]
      : [];
  }
  const checked = checkRequest({
    jsonrpc,
    ...('id' in value ? { id } : {}),
    method,
    ...(params === undefined ? {} : { params }),
  });
  if (!checked.ok) return 'id' in value ? [refused(known, -32_602, checked.problem)] : [];
  // The parts have been checked above; other members are left behind.
  return [{ kind: 'message', message: checked.message as JSONRPCMessage }];
}

/** An answer to a request of ours; one that is malformed has nobody to be told. */
function readResponse(
  value: Readonly<Record<string, unknown>>,
  id: string | number | null,
): readonly ReadMessage[] {
  if (id === null || !('result' in value || 'error' in value)) {
    return [refused(id, -32_600, 'A message has a "method", or an "id" with "result" or "error".')];
  }
  const hasShape =
    (isRecord(value['result']) || isRecord(value['error'])) && !isNestedTooDeeply(value);
  // As above: of an answer, the SDK checks the rest against what was asked.
  return hasShape ? [{ kind: 'message', message: value as unknown as JSONRPCMessage }] : [];
}

function isParams(params: unknown): boolean {
  if (params === undefined) return true;
  if (!isRecord(params)) return false;
  const meta = params['_meta'];
  if (meta === undefined) return true;
  if (!isRecord(meta)) return false;
  const token = meta['progressToken'];
  return token === undefined || typeof token === 'string' || Number.isSafeInteger(token);
}

function refused(id: Refusal['id'], code: Refusal['code'], message: string): ReadMessage {
  return { kind: 'refused', refusal: { id, code, message } };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
