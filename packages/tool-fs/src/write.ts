import {
  cautiousCapabilities,
  defineTool,
  namesDirectory,
  notAFileName,
  parallelRead,
  sha256Hex,
  ToolError,
  versionConflict,
} from '@toolwright/core';
import type { ExpectedVersion, JsonObject, Tool, ToolOutput } from '@toolwright/core';
import { countLineEndings, lineEndingsOf } from '@toolwright/documents';
import { previewChange } from './change/change-preview.ts';
import { loadFileIfAny } from './change/load-file.ts';
import type { ChangeContext } from './change/load-file.ts';
import { promoteFile, retryOnConflict } from './change/promote-file.ts';
import { showName } from './display/show-name.ts';
import { toToolError } from './document-failure.ts';
import { planAppend } from './write/append-file.ts';
import { encodeContent } from './write/encode-content.ts';
import { findPlaceholder } from './write/placeholder.ts';

/** The `write` tool: a whole file, or a chunk at its end, as given. */
export function writeTool(): Tool {
  return defineTool({
    name: 'write',
    title: 'Write a file',
    description:
      'Creates a file with the content given, or replaces the whole content of one; missing directories are created. The content must be complete: a line such as "… rest unchanged …" is refused. With mode append and expected_offset a long file is written in chunks, and a chunk that is sent twice is added once. To change a part of a file use edit, which needs less text and leaves the rest alone.',
    keywords: ['create', 'save', 'overwrite', 'append', 'new file'],
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['file_path', 'content'],
      properties: {
        file_path: {
          type: 'string',
          minLength: 1,
          description: 'Path of the file, relative to the workspace root.',
        },
        content: {
          type: 'string',
          description:
            'The whole content, or the chunk to append. Written as given: no newline is added or changed.',
        },
        mode: {
          type: 'string',
          enum: ['overwrite', 'append'],
          description: 'overwrite (default) or append.',
        },
        expected_offset: {
          type: 'integer',
          minimum: 0,
          description:
            'append only, required there: the size of the file in bytes before the chunk.',
        },
        if_match: {
          type: 'string',
          pattern: '^([0-9a-f]{64}|absent)$',
          description:
            'sha256 of the file as it was read, or "absent" if it must not exist; write nothing otherwise.',
        },
        dry_run: {
          type: 'boolean',
          description: 'Show what would change and write nothing. Default false.',
        },
      },
    },
    examples: [
      { file_path: 'notes/todo.md', content: '# To do\n' },
      { file_path: 'data/log.txt', content: 'next chunk\n', mode: 'append', expected_offset: 4096 },
    ],
    requires: ['files.read', 'files.write'],
    capabilities: ({ mode, dry_run: isDryRun = false }) =>
      isDryRun
        ? { ...parallelRead(16), outputKind: 'diff' }
        : {
            ...cautiousCapabilities,
            idempotent: true,
            resumable: mode === 'append',
            cancellationSafe: true,
            outputKind: 'diff',
          },
    effects: ({ file_path: target, dry_run: isDryRun = false }) => [
      { kind: isDryRun ? 'read' : 'write', target },
    ],
    run: async (input, context) => {
      const { file_path: path, content, mode = 'overwrite', expected_offset: offset } = input;
      const { if_match: ifMatch, dry_run: isDryRun = false } = input;
      const request = { path, content, ifMatch, isDryRun };
      try {
        if (mode === 'append') {
          if (offset === undefined) {
            throw new ToolError(
              'invalid_argument',
              'mode append needs expected_offset: the size of the file in bytes before the chunk.',
            );
          }
          return await append(context, request, offset);
        }
        if (offset !== undefined && offset !== 0) {
          throw new ToolError(
            'invalid_argument',
            'expected_offset is for mode append; leave it out to overwrite.',
          );
        }
        return await retryOnConflict(ifMatch !== undefined, async () =>
          overwrite(context, request),
        );
      } catch (error) {
        throw toToolError(error, path);
      }
    },
  });
}

interface WriteRequest {
  readonly path: string;
  readonly content: string;
  readonly ifMatch: string | undefined;
  readonly isDryRun: boolean;
}

async function overwrite(context: ChangeContext, request: WriteRequest): Promise<ToolOutput> {
  const { path, content, ifMatch, isDryRun } = request;
  const file = await loadFileIfAny(context, path);
  if (file === undefined && namesDirectory(path)) throw notAFileName(path);
  const actual = file?.sha256 ?? null;
  if (ifMatch !== undefined && ifMatch !== (actual ?? 'absent')) {
    throw versionConflict(path, ifMatch, actual);
  }
  const { bytes, encoding, before } = await encodeContent(content, file?.bytes);
  const placeholder = findPlaceholder(content, before?.text ?? '');
  if (placeholder !== undefined) {
    throw new ToolError(
      'invalid_argument',
      `Line ${placeholder.line + 1} of content only says that code was left out (${JSON.stringify(placeholder.text)}); write the whole content, or change a part with edit.`,
      { reason: 'placeholder', fields: { path, line: placeholder.line + 1 } },
    );
  }
  const expected: ExpectedVersion =
    actual === null ? { kind: 'absent' } : { kind: 'sha256', sha256: actual };
  const realPath = isDryRun
    ? (file?.path ?? (await context.workspace.resolvePath(path)))
    : (await promoteFile(context, { path, content: bytes, expected })).path;
  const endings = lineEndingsOf(countLineEndings(content));
  const change = await previewChange(context.artifacts, {
    before: before?.text ?? '',
    after: content,
  });
  const isNew = file === undefined;
  return {
    output: [
      `${isDryRun ? 'Would write' : isNew ? 'Created' : 'Wrote'} ${showName(realPath)}: ${bytes.length} bytes${isNew ? '' : `, ${encoding}`}.\n`,
      endingNotice(before?.lineEndings, endings),
      isNew ? '' : change.text,
    ].join(''),
    metadata: {
      file_path: realPath,
      created: isNew,
      mode: 'overwrite',
      dry_run: isDryRun,
      bytes: bytes.length,
      encoding,
      eol: endings,
      before_sha256: actual,
      after_sha256: sha256Hex(bytes),
      change: change.facts,
    },
  };
}

/** Content is written as given, so a change of all line endings, which the content does not show, is told. */
function endingNotice(before: string | undefined, after: string): string {
  if (before === undefined || before === after || before === 'none' || after === 'none') return '';
  return `[line endings were ${before} and are ${after} now]\n`;
}

async function append(
  context: ChangeContext,
  request: WriteRequest,
  expectedOffset: number,
): Promise<ToolOutput> {
  const { path, content: text, ifMatch, isDryRun } = request;
  const appended = await planAppend(context, { path, text, expectedOffset, ifMatch });
  const { file, chunk, content, alreadyApplied } = appended;
  if (!isDryRun && !alreadyApplied) {
    const expected: ExpectedVersion = { kind: 'sha256', sha256: file.sha256 };
    await promoteFile(context, { path: file.path, content, expected });
  }
  const metadata: JsonObject = {
    file_path: file.path,
    created: false,
    mode: 'append',
    dry_run: isDryRun,
    bytes: chunk.length,
    before_sha256: file.sha256,
    after_sha256: alreadyApplied ? file.sha256 : sha256Hex(content),
    offset: expectedOffset,
    appended_bytes: chunk.length,
    resulting_size: content.length,
    already_applied: alreadyApplied,
  };
  const done = alreadyApplied
    ? 'The chunk is there already: nothing was added to'
    : isDryRun
      ? `Would append ${chunk.length} bytes to`
      : `Appended ${chunk.length} bytes to`;
  return {
    output: `${done} ${showName(file.path)}, which has ${content.length} bytes.\n`,
    metadata,
  };
}
