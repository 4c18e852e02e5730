import { ToolError } from '@toolwright/core';

/** What a failed start means to the caller; `code` is the system's error code. */
export function launchError(code: string, message: string): ToolError {
  if (code === 'EAGAIN' || code === 'ENOMEM') {
    return new ToolError('limit_exceeded', 'Too many processes are running; end some first.', {
      reason: 'process_limit',
    });
  }
  if (code === 'E2BIG') {
    return new ToolError(
      'invalid_argument',
      'The command line is longer than the system takes (128 KiB on Linux); write it to a file and run that.',
      { reason: 'command_too_long' },
    );
  }
  if (code === 'ERR_INVALID_ARG_VALUE') {
    return new ToolError('invalid_argument', 'The command line has a NUL character; remove it.', {
      reason: 'bad_command',
    });
  }
  if (code === 'ENOENT' || code === 'EACCES' || code === 'ENOTDIR') {
    return new ToolError(
      'not_found',
      'The program is not installed, cannot be executed, or its directory is gone.',
      { reason: 'cannot_start' },
    );
  }
  return new ToolError('internal', `The command could not be started: ${message}`);
}
