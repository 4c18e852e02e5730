import type { ToolResult } from '@toolwright/core';
import type { ToolResultPart } from 'ai';

/** What the AI SDK sends to a model for one tool call. */
type ModelOutput = ToolResultPart['output'];

/**
 * A result as a model reads it: its projected text; images as images; a failure as an error text. Metadata and
 * structured content stay with the host.
 */
export function toModelOutput(result: ToolResult): ModelOutput {
  const { output, content, error } = result;
  if (error !== null) return { type: 'error-text', value: output };
  const images = (content ?? []).filter((block) => block.type === 'image');
  if (images.length === 0) return { type: 'text', value: output };
  return {
    type: 'content',
    value: [
      { type: 'text', text: output },
      ...images.map(({ data, mimeType }) => ({
        type: 'file' as const,
        data: { type: 'data' as const, data },
        mediaType: mimeType,
      })),
    ],
  };
}
