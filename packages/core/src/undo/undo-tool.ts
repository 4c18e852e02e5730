import { ToolError } from '../errors/tool-error.ts';
import { defineProvider } from '../provider/define-provider.ts';
import { registerTool, type RegisteredTool } from '../session/tool-registry.ts';
import { defineTool } from '../tool/define-tool.ts';
import type { ExpectedVersion } from '../workspace/writer.ts';
import type { UndoJournal } from './undo-journal.ts';

/** Undo as a call like any other: through the kernel, on the locks of what it touches, and itself undoable. */
export function undoTool(journal: UndoJournal): RegisteredTool {
  const tool = defineTool({
    name: 'undo',
    description: 'Puts back what one earlier call changed, unless it has been changed again since.',
    input: {
      type: 'object',
      properties: { invocation_id: { type: 'string' } },
      required: ['invocation_id'],
      additionalProperties: false,
    },
    requires: ['files.read', 'files.write'],
    effects: async (input) => {
      const { files } = await journal.find(input.invocation_id);
      return files.map(({ path }) => ({ kind: 'write' as const, target: path }));
    },
    async run(input, context) {
      const { files } = await journal.find(input.invocation_id);
      const transaction = await context.workspace.writer.begin();
      const restored: { readonly path: string; readonly action: string }[] = [];
      try {
        for (const file of files) {
          const expected: ExpectedVersion =
            file.after_sha256 === null
              ? { kind: 'absent' }
              : { kind: 'sha256', sha256: file.after_sha256 };
          const { path } = file;
          if (file.before_sha256 === null) {
            if (file.after_sha256 !== null)
              await transaction.stage({ kind: 'delete', path, expected });
            restored.push({ path, action: 'deleted' });
            continue;
          }
          const content = await journal.imageBytes(file.before_sha256);
          const { executable, mode } = file;
          const bits = mode === undefined ? { executable } : { mode };
          await transaction.stage({ kind: 'write', path, content, expected, ...bits });
          restored.push({ path, action: file.after_sha256 === null ? 'recreated' : 'restored' });
        }
        await transaction.promoteAll();
      } catch (error) {
        throw changedSince(input.invocation_id, error);
      } finally {
        await transaction.rollback();
      }
      const lines = restored.map(({ path, action }) => `${action} ${path}`);
      return { output: lines.join('\n'), metadata: { undo: restored } };
    },
  });
  return registerTool(tool, defineProvider({ name: 'core', version: '0', tools: [tool] }), false);
}

/** A writer asks to read again and redo the change, which is not what there is to do here. */
function changedSince(call: string, error: unknown): unknown {
  if (!ToolError.isInstance(error) || error.type !== 'version_conflict') return error;
  const { path } = error.fields;
  return new ToolError(
    'version_conflict',
    `${JSON.stringify(path ?? 'A file')} has been changed since the call ${JSON.stringify(call)}, so nothing was put back; undo the later changes first, or edit the file.`,
    { fields: error.fields, cause: error },
  );
}
