import { ToolError, type WorkspaceFiles } from '@toolwright/core';

/** UTF-8 bytes of a script. */
export const maxSourceBytes = 196_608;

/** A script and what stack lines call it. */
export interface ProgramSource {
  readonly text: string;
  readonly language: 'javascript' | 'typescript';
  readonly fileName: string;
}

/** The arguments that name a script. */
export interface SourceRequest {
  readonly source?: string | undefined;
  readonly path?: string | undefined;
  readonly language?: 'javascript' | 'typescript' | undefined;
}

/**
 * The script of a call: its `source`, or the file at `path`. Errors: `invalid_argument` for both or neither, another
 * extension, text that is no UTF-8; `limit_exceeded` with `source_too_large`; those of the workspace.
 */
export async function loadSource(
  request: SourceRequest,
  { files, signal }: { readonly files: WorkspaceFiles | undefined; readonly signal: AbortSignal },
): Promise<ProgramSource> {
  const { source, path, language } = request;
  if ((source === undefined) === (path === undefined)) {
    throw new ToolError(
      'invalid_argument',
      'Give the script in source, or its file in path: one of the two.',
    );
  }
  if (source !== undefined) {
    assertSize(Buffer.byteLength(source));
    return { text: source, language: language ?? 'javascript', fileName: 'program.js' };
  }
  const file = path ?? '';
  const byExtension = languageOf(file);
  if (files === undefined) {
    throw new ToolError('unsupported', 'This workspace has no files; give the script in source.');
  }
  return {
    text: await readScript(files, file, signal),
    language: language ?? byExtension,
    fileName: file,
  };
}

function languageOf(path: string): ProgramSource['language'] {
  if (/\.m?js$/.test(path)) return 'javascript';
  if (/\.m?ts$/.test(path)) return 'typescript';
  throw new ToolError(
    'invalid_argument',
    `${JSON.stringify(path)} is no script: path must end in .js, .mjs, .ts or .mts.`,
    { fields: { path } },
  );
}

async function readScript(
  files: WorkspaceFiles,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  const reader = await files.openRead(path, { signal });
  try {
    assertSize(reader.stat.size);
    const bytes = await reader.read(0, reader.stat.size, { signal });
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ToolError('invalid_argument', `${JSON.stringify(path)} is no UTF-8 text.`, {
      fields: { path },
      cause: error,
    });
  } finally {
    await reader.close();
  }
}

function assertSize(bytes: number): void {
  if (bytes <= maxSourceBytes) return;
  throw new ToolError(
    'limit_exceeded',
    `The script has ${bytes} bytes; at most ${maxSourceBytes} are taken.`,
    { reason: 'source_too_large' },
  );
}
