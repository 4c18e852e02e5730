import {
  cautiousCapabilities,
  defineTool,
  parallelRead,
  sha256Hex,
  ToolError,
} from '@toolwright/core';
import type { JsonObject, Tool, ToolOutput } from '@toolwright/core';
import { decodeDocument } from '@toolwright/documents';
import type { TextDocument } from '@toolwright/documents';
import { previewChange } from './change/change-preview.ts';
import { loadFile } from './change/load-file.ts';
import type { ChangeContext, LoadedFile } from './change/load-file.ts';
import { promoteFile, retryOnConflict } from './change/promote-file.ts';
import { showName } from './display/show-name.ts';
import { toToolError } from './document-failure.ts';
import { toEditError } from './edit/edit-failure.ts';
import type { MatchTier } from './edit/find-text.ts';
import { planEdits } from './edit/plan-edits.ts';
import type { PlannedEdit, TextEdit } from './edit/plan-edits.ts';

/** Edits of one call at most. */
export const MAX_EDITS = 64;
/** Line numbers that the metadata has of all edits together. */
const MAX_LINES_TOLD = 1_000;

const searchSchema = {
  type: 'string',
  minLength: 1,
  description:
    'Text to replace, copied from the file without line numbers; it must stand there exactly once unless replace_all is set. Line endings do not matter.',
} as const;

const replacementSchema = {
  type: 'string',
  description: 'Text to put in its place; empty to delete it.',
} as const;

const allSchema = {
  type: 'boolean',
  description: 'Replace every exact occurrence instead of the only one. Default false.',
} as const;

/** The `edit` tool: exact replacements in one file that leave every other byte alone. */
export function editTool(): Tool {
  return defineTool({
    name: 'edit',
    title: 'Edit a file',
    description:
      'Replaces text in one file: old_string by new_string, or several edits at once, all or nothing. Nothing else in the file changes: encoding, line endings and the final newline stay. When the text is not there exactly once, nothing is written and the answer shows the closest places. Try a large change with dry_run first. Use write to create a file or replace a whole one; use patch for changes of several files.',
    keywords: ['replace', 'change', 'modify', 'str_replace', 'substitute', 'update file'],
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['file_path'],
      properties: {
        file_path: {
          type: 'string',
          minLength: 1,
          description: 'Path of the file, relative to the workspace root.',
        },
        old_string: searchSchema,
        new_string: replacementSchema,
        replace_all: allSchema,
        edits: {
          type: 'array',
          maxItems: MAX_EDITS,
          description:
            'Several replacements instead of old_string and new_string, in any order; each is matched on the file as it is now.',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['old_string', 'new_string'],
            properties: {
              old_string: searchSchema,
              new_string: replacementSchema,
              replace_all: allSchema,
            },
          },
        },
        dry_run: {
          type: 'boolean',
          description: 'Show what would change and write nothing. Default false.',
        },
        expected_replacements: {
          type: 'integer',
          minimum: 1,
          description: 'Write nothing unless exactly so many places are replaced.',
        },
        max_replacements: {
          type: 'integer',
          minimum: 1,
          description: 'Write nothing if more places would be replaced.',
        },
        if_match: {
          type: 'string',
          pattern: '^[0-9a-f]{64}$',
          description: 'sha256 of the file as it was read; write nothing if it has changed since.',
        },
      },
    },
    examples: [
      {
        file_path: 'src/index.ts',
        old_string: 'const limit = 10;',
        new_string: 'const limit = 20;',
      },
      {
        file_path: 'src/index.ts',
        edits: [
          { old_string: "from './a.ts'", new_string: "from './b.ts'" },
          { old_string: 'a(', new_string: 'b(', replace_all: true },
        ],
        dry_run: true,
      },
    ],
    requires: ['files.read', 'files.write'],
    capabilities: ({ dry_run: isDryRun = false }) =>
      isDryRun
        ? { ...parallelRead(16), outputKind: 'diff' }
        : { ...cautiousCapabilities, cancellationSafe: true, outputKind: 'diff' },
    effects: ({ file_path: target, dry_run: isDryRun = false }) => [
      { kind: isDryRun ? 'read' : 'write', target },
    ],
    run: async (input, context) => {
      const edits = toEdits(input);
      const { file_path: path, if_match: ifMatch } = input;
      const request: EditRequest = {
        path,
        edits,
        several: (input.edits ?? []).length > 0,
        dryRun: input.dry_run ?? false,
        expected: input.expected_replacements,
        maximum: input.max_replacements,
        ifMatch,
      };
      try {
        return await retryOnConflict(ifMatch !== undefined, async () => runEdit(context, request));
      } catch (error) {
        throw toToolError(error, path);
      }
    },
  });
}

interface EditRequest {
  readonly path: string;
  readonly edits: readonly TextEdit[];
  readonly several: boolean;
  readonly dryRun: boolean;
  readonly expected: number | undefined;
  readonly maximum: number | undefined;
  readonly ifMatch: string | undefined;
}

/** The edits in one form. Errors: `invalid_argument` for both forms, neither, or an edit that changes nothing. */
function toEdits(input: {
  readonly old_string?: string;
  readonly new_string?: string;
  readonly replace_all?: boolean;
  readonly edits?: readonly {
    readonly old_string: string;
    readonly new_string: string;
    readonly replace_all?: boolean;
  }[];
}): TextEdit[] {
  const { old_string: search, new_string: replacement, replace_all: all = false } = input;
  const several = input.edits ?? [];
  if (several.length > 0 && search !== undefined) {
    throw new ToolError('invalid_argument', 'Give old_string or edits, not both.');
  }
  const edits =
    several.length > 0
      ? several.map((edit) => ({
          search: edit.old_string,
          replacement: edit.new_string,
          all: edit.replace_all ?? false,
        }))
      : search === undefined || replacement === undefined
        ? undefined
        : [{ search, replacement, all }];
  if (edits === undefined) throw incomplete(search, replacement);
  const index = edits.findIndex((edit) => edit.search === edit.replacement);
  if (index >= 0) {
    const which = several.length > 0 ? `edits[${index}]` : 'The edit';
    throw new ToolError(
      'invalid_argument',
      `${which} changes nothing: old_string and new_string are the same.`,
      { reason: 'no_change', fields: several.length > 0 ? { edit_index: index } : {} },
    );
  }
  return edits;
}

function incomplete(search: string | undefined, replacement: string | undefined): ToolError {
  if (search !== undefined) {
    return new ToolError(
      'invalid_argument',
      '/new_string: missing beside old_string; give the new text, or "" to delete the old one.',
    );
  }
  if (replacement !== undefined) {
    return new ToolError(
      'invalid_argument',
      '/old_string: missing or empty beside new_string; give the text to replace, or use write for a whole file.',
    );
  }
  return new ToolError('invalid_argument', 'Give old_string with new_string, or edits.');
}

async function runEdit(context: ChangeContext, request: EditRequest): Promise<ToolOutput> {
  const file = await loadFile(context, request.path, request.ifMatch);
  const document = await decodeDocument(file.bytes);
  const plan = planEdits(document.text, request.edits);
  const facts = { file_path: file.path, dry_run: request.dryRun };
  if (!plan.ok) {
    const { path, several } = request;
    throw toEditError(plan.failure, { path, several, metadata: facts });
  }
  const count = plan.edits.reduce((sum, edit) => sum + edit.count, 0);
  assertCount(request, count, facts);
  refuseLostCharacters(document, plan.splices, request.path);
  const content = document.splice(plan.splices);
  const afterSha256 = request.dryRun
    ? sha256Hex(content)
    : await writeEdited(context, file, content);
  const change = await previewChange(context.artifacts, {
    before: document.text,
    splices: plan.splices,
  });
  const lines = plan.edits.flatMap((edit) => edit.lines).toSorted((a, b) => a - b);
  const tier = loosest(plan.edits);
  const metadata: JsonObject = {
    ...facts,
    replacement_count: count,
    tier,
    lines: lines.slice(0, MAX_LINES_TOLD),
    ...(request.several ? { edits: factsOf(plan.edits) } : {}),
    ...(request.expected === undefined ? {} : { expected_replacements: request.expected }),
    ...(request.maximum === undefined ? {} : { max_replacements: request.maximum }),
    before_sha256: file.sha256,
    after_sha256: afterSha256,
    change: change.facts,
  };
  const verb = request.dryRun ? 'Would edit' : 'Edited';
  const places = count === 1 ? `1 replacement at line ${lines[0]}` : `${count} replacements`;
  const how = tier === 'exact' ? '' : `, matched with ${tier} differences`;
  return {
    output: `${verb} ${showName(file.path)}: ${places}${how}.\n${change.text}`,
    metadata,
  };
}

async function writeEdited(
  context: ChangeContext,
  file: LoadedFile,
  content: Uint8Array,
): Promise<string> {
  const promoted = await promoteFile(context, {
    path: file.path,
    content,
    expected: { kind: 'sha256', sha256: file.sha256 },
  });
  return promoted.afterSha256 ?? sha256Hex(content);
}

function assertCount(request: EditRequest, count: number, facts: JsonObject): void {
  const { expected, maximum, path } = request;
  const limit =
    expected !== undefined && count !== expected
      ? { expected_replacements: expected }
      : maximum !== undefined && count > maximum
        ? { max_replacements: maximum }
        : undefined;
  if (limit === undefined) return;
  const [[name, wanted] = ['', 0]] = Object.entries(limit);
  throw new ToolError(
    'invalid_argument',
    `${count} places of ${JSON.stringify(path)} would be replaced, but ${name} is ${wanted}; nothing was written.`,
    {
      reason: 'unexpected_count',
      fields: { path, replacement_count: count, ...limit },
      metadata: { ...facts, replacement_count: count, ...limit },
    },
  );
}

/** U+FFFD stands for bytes that could not be decoded: written back, it would replace them. */
function refuseLostCharacters(
  document: TextDocument,
  splices: readonly { readonly replacement: string }[],
  path: string,
): void {
  if (!document.lossy || !splices.some(({ replacement }) => replacement.includes('\ufffd'))) return;
  throw new ToolError(
    'invalid_argument',
    `The new text has U+FFFD, which stands for bytes of ${JSON.stringify(path)} that are no ${document.encoding}; leave that part out of the edit, or write what should stand there.`,
    { reason: 'undecodable', fields: { path } },
  );
}

const TIERS: readonly MatchTier[] = ['exact', 'trailing_whitespace', 'indentation', 'unicode'];

function loosest(edits: readonly PlannedEdit[]): MatchTier {
  return TIERS.findLast((tier) => edits.some((edit) => edit.tier === tier)) ?? 'exact';
}

/** What each edit did; of the line numbers as many as the metadata has room for. */
function factsOf(edits: readonly PlannedEdit[]): readonly JsonObject[] {
  let room = MAX_LINES_TOLD;
  return edits.map(({ tier, count, lines }) => {
    const told = lines.slice(0, room);
    room -= told.length;
    return { tier, replacement_count: count, lines: told };
  });
}
