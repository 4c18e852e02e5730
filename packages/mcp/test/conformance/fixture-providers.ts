import { acceptedContent, inputRequired } from '@modelcontextprotocol/server';
import type {
  CompletionProvider,
  PromptProvider,
  ResourceProvider,
} from '../../src/server/index.ts';
import { form } from './forms.ts';
import { onePixelPng } from './media.ts';

const user = (text: string) => ({
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
});

/** The prompts of the suite. */
export const prompts: PromptProvider = {
  list: async () => [
    { name: 'test_simple_prompt', description: 'A prompt without arguments.' },
    {
      name: 'test_prompt_with_arguments',
      description: 'A prompt with two arguments.',
      arguments: [
        { name: 'arg1', description: 'The first.', required: true },
        { name: 'arg2', description: 'The second.', required: true },
      ],
    },
    {
      name: 'test_prompt_with_embedded_resource',
      description: 'A prompt with a resource in it.',
      arguments: [{ name: 'resourceUri', description: 'Whose URI.', required: true }],
    },
    { name: 'test_prompt_with_image', description: 'A prompt with an image in it.' },
    { name: 'test_input_required_result_prompt', description: 'A prompt that asks the user.' },
  ],
  get: async (name, args, { inputResponses }) => {
    switch (name) {
      case 'test_simple_prompt':
        return user('This is a simple prompt for testing.');
      case 'test_prompt_with_arguments':
        return user(`Prompt with arguments: arg1='${args['arg1']}', arg2='${args['arg2']}'`);
      case 'test_prompt_with_embedded_resource':
        return {
          messages: [
            {
              role: 'user',
              content: {
                type: 'resource',
                resource: {
                  uri: args['resourceUri'] ?? '',
                  mimeType: 'text/plain',
                  text: 'Embedded resource content for testing.',
                },
              },
            },
            ...user('Please process the embedded resource above.').messages,
          ],
        };
      case 'test_prompt_with_image':
        return {
          messages: [
            {
              role: 'user',
              content: { type: 'image', data: onePixelPng, mimeType: 'image/png' },
            },
            ...user('Please analyze the image above.').messages,
          ],
        };
      case 'test_input_required_result_prompt': {
        const given = acceptedContent(inputResponses, 'user_context');
        return given === undefined
          ? inputRequired({
              inputRequests: {
                user_context: form('What context should the prompt use?', {
                  context: { type: 'string' },
                }),
              },
            })
          : user(`Prompt with context: ${String(given['context'])}`);
      }
      default:
        return undefined;
    }
  },
};

const template = /^test:\/\/template\/([^/]+)\/data$/;

/** The resources of the suite. */
export const resources: ResourceProvider = {
  list: async () => [
    { uri: 'test://static-text', name: 'Static text', mimeType: 'text/plain' },
    { uri: 'test://static-binary', name: 'Static image', mimeType: 'image/png' },
    { uri: 'test://watched-resource', name: 'Watched text', mimeType: 'text/plain' },
  ],
  templates: async () => [
    {
      uriTemplate: 'test://template/{id}/data',
      name: 'Data by id',
      mimeType: 'application/json',
    },
  ],
  read: async (uri) => {
    switch (uri) {
      case 'test://static-text':
        return {
          contents: [
            {
              uri,
              mimeType: 'text/plain',
              text: 'This is the content of the static text resource.',
            },
          ],
        };
      case 'test://static-binary':
        return { contents: [{ uri, mimeType: 'image/png', blob: onePixelPng }] };
      case 'test://watched-resource':
        return { contents: [{ uri, mimeType: 'text/plain', text: 'Watched.' }] };
      default: {
        const id = template.exec(uri)?.[1];
        if (id === undefined) return undefined;
        const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
        return { contents: [{ uri, mimeType: 'application/json', text }] };
      }
    }
  },
};

/** Completes the arguments of the suite's prompt. */
export const completions: CompletionProvider = async ({ argument }) =>
  ['paris', 'park', 'party'].filter((value) => value.startsWith(argument.value));
