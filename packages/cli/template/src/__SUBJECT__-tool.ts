import { defineTool } from '@toolwright/core';

/** Bytes that are read at a time. */
const chunkBytes = 65_536;
/** Bytes of a file that are looked at; what lies behind them is not counted, and the result says so. */
const maxBytes = 16 * 1024 * 1024;
const lineFeed = 0x0a;

/** The `__TOOL__` tool. It is an example of the form: put your own in its place. */
export const __FACTORY__Tool = defineTool({
  name: '__TOOL__',
  title: 'Count lines',
  // One paragraph for a model: what it does, when to use it, when not.
  description:
    'Counts the lines and bytes of a file in the workspace. Use it to see how large a file is before reading it; to see what stands in it, read it instead.',
  // Closed, every field described, examples that the conformance suite runs.
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['file_path'],
    properties: {
      file_path: {
        type: 'string',
        minLength: 1,
        description: 'The file, relative to the workspace.',
      },
    },
  },
  examples: [{ file_path: 'notes.txt' }],
  // What must be there, or the tool is not offered.
  requires: ['files.read'],
  // What a call is like, for scheduling and policy; what is not said is the cautious default.
  capabilities: {
    readOnly: true,
    idempotent: true,
    cancellationSafe: true,
    maxParallelism: 8,
    outputKind: 'text',
  },
  // What a call will touch: policy decides on it, and `context.workspace` can do no more.
  effects: ({ file_path }) => [{ kind: 'read', target: file_path }],
  async run({ file_path }, { workspace, signal }) {
    const reader = await workspace.files.openRead(file_path, { signal });
    try {
      const covered = Math.min(reader.stat.size, maxBytes);
      let lines = 0;
      let last = lineFeed;
      for (let at = 0; at < covered; at += chunkBytes) {
        const chunk = await reader.read(at, Math.min(chunkBytes, covered - at), { signal });
        lines += chunk.reduce((count, byte) => count + (byte === lineFeed ? 1 : 0), 0);
        last = chunk.at(-1) ?? last;
      }
      // A last line without an end is one too.
      if (last !== lineFeed) lines += 1;
      const { path, size: bytes } = reader.stat;
      const complete = covered === bytes;
      const part = complete ? '' : ` in the first ${covered} bytes; the rest was not counted`;
      return {
        output: `${lines} lines, ${bytes} bytes${part}\n`,
        metadata: { file_path: path, lines, bytes, complete },
      };
    } finally {
      await reader.close();
    }
  },
});
