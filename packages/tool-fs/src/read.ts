import { defineTool, isArtifactUri, paginatedRead, ToolError } from '@toolwright/core';
import type { DescribeWorkspace, Effect, Tool } from '@toolwright/core';
import { withDocument } from './read/open-document.ts';
import { readBatch } from './read/read-batch.ts';
import type { BatchEntry } from './read/read-batch.ts';
import { readWindow, showImage } from './read/read-single.ts';

/** Lines of a window when no limit is given, and at most. */
export const MAX_READ_LINES = 2_000;
/** Bytes of a read's whole output when nothing is said. */
export const DEFAULT_READ_BYTES = 65_536;
/** Default for `ReadOptions.maxImageBytes`. */
export const DEFAULT_IMAGE_BYTES = 4_194_304;
/** Ceiling of `ReadOptions.maxImageBytes`. */
export const MAX_IMAGE_BYTES = 16_777_216;

/** How `read` is set up. */
export interface ReadOptions {
  /** Bytes of an image that is handed to the model. Default 4 MiB, at most 16 MiB. */
  readonly maxImageBytes?: number;
}

const limitSchema = {
  type: 'integer',
  minimum: 1,
  maximum: MAX_READ_LINES,
  'x-clamp': true,
  description: 'How many lines to read at most. Default 2000.',
} as const;

const offsetSchema = {
  type: 'integer',
  minimum: 0,
  description: 'First line to read, counted from 0. Default 0.',
} as const;

/** The `read` tool: windows of text files, images, PDFs, notebooks and kept outputs, alone or in a batch. */
export function readTool(options: ReadOptions = {}): Tool {
  const maxImageBytes = Math.min(options.maxImageBytes ?? DEFAULT_IMAGE_BYTES, MAX_IMAGE_BYTES);
  return defineTool({
    name: 'read',
    title: 'Read files',
    description:
      'Reads a file of the workspace, or several in one call, and shows each line with its number. Use it before editing a file and to look at what search found. Long files come in windows: go on with the offset or cursor that the answer names. Images are shown as images; PDFs and notebooks as text; a kept output is read by its a3s:// URI. Text is decoded from its own encoding. To list a directory use ls; to find text in many files use search.',
    keywords: ['cat', 'open', 'view', 'show', 'file contents', 'head', 'tail', 'image', 'pdf'],
    input: {
      type: 'object',
      additionalProperties: false,
      properties: {
        file_path: {
          type: 'string',
          minLength: 1,
          description:
            'Path of the file, relative to the workspace root, or the a3s:// URI of a kept output. Give this or files.',
        },
        files: {
          type: 'array',
          maxItems: 32,
          description: 'Several files to read in one call, instead of file_path.',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['path'],
            properties: {
              path: {
                type: 'string',
                minLength: 1,
                maxLength: 4096,
                description: 'Path of the file, relative to the workspace root.',
              },
              offset: offsetSchema,
              limit: limitSchema,
              cursor: {
                type: 'string',
                minLength: 1,
                description: 'Where a continuation goes on; taken over from it unchanged.',
              },
            },
          },
        },
        offset: offsetSchema,
        limit: limitSchema,
        cursor: {
          type: 'string',
          minLength: 1,
          description:
            'next_cursor of an earlier read of the same file: goes on exactly there, also inside a long line.',
        },
        max_output_bytes: {
          type: 'integer',
          minimum: 1024,
          maximum: 98_304,
          'x-clamp': true,
          description: 'Bytes of the whole answer at most. Default 65536.',
        },
      },
    },
    examples: [
      { file_path: 'src/index.ts' },
      { file_path: 'docs/guide.md', offset: 200, limit: 100 },
      { files: [{ path: 'package.json' }, { path: 'src/main.ts', limit: 80 }] },
    ],
    requires: ['files.read'],
    capabilities: paginatedRead(16),
    effects: async ({ file_path, files }, { workspace }) => {
      const single = file_path === undefined ? [] : [file_path];
      const batch = await resolvable(files ?? [], workspace);
      return [...single, ...batch]
        .filter((path) => !isArtifactUri(path))
        .map((target): Effect => ({ kind: 'read', target }));
    },
    run: async (input, context) => {
      const { file_path: path, files, offset = 0, limit = MAX_READ_LINES, cursor } = input;
      const maxBytes = Math.min(
        input.max_output_bytes ?? DEFAULT_READ_BYTES,
        context.limits.maxOutputBytes,
      );
      const hasWindow = offset !== 0 || limit !== MAX_READ_LINES || cursor !== undefined;
      if (files !== undefined && (files.length > 0 || path === undefined)) {
        if (files.length === 0) throw refused('files is empty: name 1 to 32 files.');
        if (path !== undefined) throw refused('Give file_path or files, not both.');
        if (hasWindow) throw refused('offset, limit and cursor stand in the entries of files.');
        const entries: readonly BatchEntry[] = files;
        return readBatch(context, entries, {
          defaultLimit: MAX_READ_LINES,
          maxBytes,
          maxImageBytes,
        });
      }
      if (path === undefined) throw refused('Name a file in file_path, or several in files.');
      if (cursor !== undefined && offset !== 0) {
        throw refused('Give offset or cursor, not both: the cursor says where to go on.');
      }
      return withDocument(
        context,
        { path, limits: { maxImageBytes }, lines: limit },
        async (document) => {
          if (document.kind === 'text') {
            const limitClamped = context.clamped.some((change) => change.path === '/limit');
            return readWindow(document, { offset, cursor, limit, limitClamped, maxBytes });
          }
          if (hasWindow) {
            throw refused(`${JSON.stringify(path)} is an image: it has no lines; read it whole.`);
          }
          return showImage(document);
        },
      );
    },
  });
}

/**
 * Paths of a batch that the workspace resolves. The others are not declared, since one of them must not fail the whole
 * batch: opening them is refused by the workspace itself, each in its own place.
 */
async function resolvable(
  entries: readonly BatchEntry[],
  workspace: DescribeWorkspace,
): Promise<readonly string[]> {
  const paths = await Promise.all(
    entries.map(async ({ path }) => {
      if (isArtifactUri(path)) return path;
      try {
        return await workspace.resolvePath(path);
      } catch (error) {
        if (ToolError.isInstance(error)) return undefined;
        throw error;
      }
    }),
  );
  return paths.filter((path) => path !== undefined);
}

function refused(message: string): ToolError {
  return new ToolError('invalid_argument', message);
}
