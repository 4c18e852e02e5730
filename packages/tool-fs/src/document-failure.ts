import { ToolError } from '@toolwright/core';
import { isDocumentError } from '@toolwright/documents';

/**
 * The typed error of a tool for a failure of `documents`; every other error is returned as it is. `path` is shown as
 * the caller wrote it.
 */
export function toToolError(error: unknown, path: string): unknown {
  if (!isDocumentError(error)) return error;
  const message = `${JSON.stringify(path)}: ${error.message}`;
  const options = { fields: { path }, cause: error };
  switch (error.code) {
    case 'binary':
      return new ToolError('unsupported', message, { ...options, reason: 'binary' });
    case 'unsupported_encoding':
      return new ToolError('unsupported', message, { ...options, reason: 'encoding' });
    case 'encrypted':
      return new ToolError('unsupported', message, { ...options, reason: 'encrypted' });
    case 'malformed':
      return new ToolError('unsupported', message, { ...options, reason: 'malformed' });
    case 'unencodable':
      return new ToolError('invalid_argument', message, { ...options, reason: 'unencodable' });
    case 'too_large':
      return new ToolError('limit_exceeded', message, { ...options, reason: 'too_large' });
  }
}
