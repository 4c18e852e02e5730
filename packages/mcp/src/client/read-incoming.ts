import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { isNestedTooDeeply } from '../wire/nesting.ts';

/** JSON-RPC code of our own for an answer that is neither a result nor an error. */
export const malformedCode = -32_096;

/**
 * What a server sent, if it is a message that can be handed on. An answer that is none, but names its request, becomes an
 * error of {@link malformedCode}: whoever waits for it is told at once. Everything else that has no good shape goes no
 * further, and so does a request or notification that is nested too deeply to be read.
 */
export function readIncoming(message: unknown): JSONRPCMessage | undefined {
  if (!isRecord(message) || message['jsonrpc'] !== '2.0') return undefined;
  const { id, method, params } = message;
  if ('id' in message && typeof id !== 'string' && typeof id !== 'number') return undefined;
  if (method === undefined) return readAnswer(message);
  if (typeof method !== 'string' || isNestedTooDeeply(params)) return undefined;
  if (params !== undefined && !isRecord(params)) return undefined;
  // The members have been looked at above.
  return message as JSONRPCMessage;
}

function readAnswer(message: Readonly<Record<string, unknown>>): JSONRPCMessage | undefined {
  const { id, result, error } = message;
  if (typeof id !== 'string' && typeof id !== 'number') return undefined;
  // As above.
  if (isRecord(result) && !('error' in message)) return message as JSONRPCMessage;
  if (!isRecord(error)) {
    const text = 'The answer is neither a result nor an error.';
    return { jsonrpc: '2.0', id, error: { code: malformedCode, message: text } };
  }
  const { code, message: text, data } = error;
  return {
    jsonrpc: '2.0',
    id,
    error: {
      code: Number.isSafeInteger(code) ? Number(code) : malformedCode,
      message: typeof text === 'string' ? text : 'The error says nothing.',
      ...(data === undefined ? {} : { data }),
    },
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
