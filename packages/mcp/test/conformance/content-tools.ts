import { setTimeout as wait } from 'node:timers/promises';
import { defineTool, ToolError, type Tool } from '@toolwright/core';
import { emptyWav, onePixelPng } from './media.ts';

/** No arguments. */
export const none = { type: 'object', properties: {}, additionalProperties: false } as const;

/** What the tools of the suite have in common: they do nothing outside of the session. */
export const harmless = { capabilities: { readOnly: true, idempotent: true, maxParallelism: 64 } };

/** The tools of the suite whose answers are content of every kind. */
export const contentTools: readonly Tool[] = [
  defineTool({
    ...harmless,
    name: 'test_simple_text',
    description: 'Answers with a text.',
    input: none,
    effects: () => [],
    run: async () => ({ output: 'This is a simple text response for testing.' }),
  }),
  defineTool({
    ...harmless,
    name: 'test_image_content',
    description: 'Answers with an image.',
    input: none,
    effects: () => [],
    run: async () => ({
      output: '',
      content: [{ type: 'image', data: onePixelPng, mimeType: 'image/png' }],
    }),
  }),
  defineTool({
    ...harmless,
    name: 'test_audio_content',
    description: 'Answers with audio.',
    input: none,
    effects: () => [],
    run: async () => ({
      output: '',
      content: [{ type: 'audio', data: emptyWav, mimeType: 'audio/wav' }],
    }),
  }),
  defineTool({
    ...harmless,
    name: 'test_embedded_resource',
    description: 'Answers with a resource.',
    input: none,
    effects: () => [],
    run: async () => ({
      output: '',
      content: [
        {
          type: 'resource',
          resource: {
            uri: 'test://embedded-resource',
            mimeType: 'text/plain',
            text: 'This is an embedded resource content.',
          },
        },
      ],
    }),
  }),
  defineTool({
    ...harmless,
    name: 'test_multiple_content_types',
    description: 'Answers with text, an image and a resource.',
    input: none,
    effects: () => [],
    run: async () => ({
      output: 'Multiple content types test:',
      content: [
        { type: 'image', data: onePixelPng, mimeType: 'image/png' },
        {
          type: 'resource',
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: '{"test":"data","value":123}',
          },
        },
      ],
    }),
  }),
  defineTool({
    ...harmless,
    name: 'test_error_handling',
    description: 'Fails.',
    input: none,
    effects: () => [],
    run: async () => {
      throw new ToolError('unsupported', 'This tool intentionally returns an error for testing');
    },
  }),
  defineTool({
    ...harmless,
    name: 'test_tool_with_progress',
    description: 'Tells of its progress.',
    input: none,
    effects: () => [],
    run: async (_input, context) => {
      for (const current of [0, 50, 100]) {
        context.progress({ current, total: 100, message: `Step ${current} of 100` });
        await wait(20);
      }
      return { output: 'Done.' };
    },
  }),
  defineTool({
    ...harmless,
    name: 'test_trigger_tool_change',
    description: 'Changes the list of tools.',
    input: none,
    effects: () => [],
    run: async (_input, { catalog }) => {
      const { changed } = catalog.load(['test_comes_and_goes'], 'test_trigger_tool_change');
      if (changed.length === 0) catalog.unload(['test_comes_and_goes']);
      return { output: 'Changed.' };
    },
  }),
  defineTool({
    ...harmless,
    name: 'test_comes_and_goes',
    description: 'Is there, or is not.',
    input: none,
    visibility: 'deferred',
    effects: () => [],
    run: async () => ({ output: 'Here.' }),
  }),
];
