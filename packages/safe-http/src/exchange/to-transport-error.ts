import { ToolError } from '@toolwright/core';
import { MalformedHead } from './response-head.ts';

/** Codes of the HTTP parser and of undici that mean: what the server sent is not HTTP as it should be. */
const PROTOCOL_CODES: ReadonlySet<string> = new Set([
  'UND_ERR_INFO',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
]);

/** Turns a failure of connection, TLS or HTTP into its typed form; typed errors pass through. */
export function toTransportError(error: unknown): ToolError {
  if (ToolError.isInstance(error)) {
    return error;
  }
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new ToolError('transport', 'No connection could be made in time.', {
      reason: 'connect_failed',
      retryable: true,
      cause: error,
    });
  }
  const code = codeOf(error);
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW') {
    return new ToolError('limit_exceeded', 'The headers of the response are larger than allowed.', {
      reason: 'header_too_large',
      cause: error,
    });
  }
  const isParserError =
    error instanceof MalformedHead || (error instanceof Error && error.name === 'HTTPParserError');
  if (isParserError || PROTOCOL_CODES.has(code)) {
    return new ToolError('transport', "The server's answer breaks the protocol.", {
      reason: 'protocol',
      cause: error,
    });
  }
  if (code === 'UND_ERR_INVALID_ARG') {
    return new ToolError('invalid_argument', `The request is malformed: ${messageOf(error)}`, {
      reason: 'bad_request',
      cause: error,
    });
  }
  if (code.startsWith('ERR_TLS') || code.startsWith('ERR_SSL') || code.includes('CERT')) {
    return new ToolError('transport', `The secure connection failed (${code}).`, {
      reason: 'tls',
      cause: error,
    });
  }
  const shown = code === '' ? '' : ` (${code})`;
  return new ToolError('transport', `The connection was lost${shown}.`, {
    reason: 'connection_lost',
    retryable: true,
    cause: error,
  });
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
