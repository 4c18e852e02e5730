import { setTimeout as wait } from 'node:timers/promises';
import type { InputRequest } from '@modelcontextprotocol/server';
import { defineTool, type Tool } from '@toolwright/core';
import type { McpClient } from '../../src/server/index.ts';
import { harmless, none } from './content-tools.ts';
import { defaultsForm, enumsForm, form, nameForm } from './forms.ts';

const question = (text: string, maxTokens: number): InputRequest => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens },
});

/** The tools of the suite that ask their client while they run. */
export function askingTools(client: McpClient): readonly Tool[] {
  /** A tool that asks once and answers with what came back. */
  const asks = (name: string, [key, request]: readonly [string, InputRequest], say = shown): Tool =>
    defineTool({
      ...harmless,
      name,
      description: `Asks by ${request.method}.`,
      input: none,
      effects: () => [],
      run: async (_input, { invocation }) => ({
        output: say(await client.request(invocation.id, key, request)),
      }),
    });
  return [
    defineTool({
      ...harmless,
      name: 'test_tool_with_logging',
      description: 'Logs while it runs.',
      input: none,
      effects: () => [],
      run: async (_input, { invocation }) => {
        await client.log(invocation.id, 'info', 'Tool execution started');
        await wait(20);
        await client.log(invocation.id, 'info', 'Tool processing data');
        await wait(20);
        await client.log(invocation.id, 'info', 'Tool execution completed');
        return { output: 'Logged.' };
      },
    }),
    defineTool({
      ...harmless,
      name: 'test_logging_tool',
      description: 'Logs once.',
      input: none,
      effects: () => [],
      run: async (_input, { invocation }) => {
        await client.log(invocation.id, 'info', 'A message');
        return { output: 'Logged.' };
      },
    }),
    defineTool({
      ...harmless,
      name: 'test_sampling',
      description: 'Asks the client’s model.',
      input: {
        type: 'object',
        properties: { prompt: { type: 'string' } },
        required: ['prompt'],
        additionalProperties: false,
      } as const,
      effects: () => [],
      run: async ({ prompt }, { invocation }) => {
        const answer = await client.request(invocation.id, 'answer', question(prompt, 100));
        return { output: `LLM response: ${JSON.stringify(answer['content'])}` };
      },
    }),
    defineTool({
      ...harmless,
      name: 'test_elicitation',
      description: 'Asks the user.',
      input: {
        type: 'object',
        properties: { message: { type: 'string' } },
        required: ['message'],
        additionalProperties: false,
      } as const,
      effects: () => [],
      run: async ({ message }, { invocation }) => ({
        output: shown(
          await client.request(
            invocation.id,
            'user',
            form(message, { username: { type: 'string' }, email: { type: 'string' } }),
          ),
        ),
      }),
    }),
    asks('test_elicitation_sep1034_defaults', ['defaults', defaultsForm]),
    asks('test_elicitation_sep1330_enums', ['enums', enumsForm]),
    asks('test_missing_capability', ['sample', question('Anything', 10)]),
    asks('test_streaming_elicitation', ['user_name', nameForm]),
    asks('test_input_required_result_elicitation', ['user_name', nameForm], (answer) => {
      const content = answer['content'];
      const name =
        typeof content === 'object' && content !== null && 'name' in content ? content.name : '';
      return `Hello, ${String(name)}!`;
    }),
    asks('test_input_required_result_sampling', [
      'capital_question',
      question('What is the capital of France?', 100),
    ]),
    asks('test_input_required_result_list_roots', ['client_roots', { method: 'roots/list' }]),
    asks(
      'test_input_required_result_request_state',
      ['confirm', form('Please confirm', { ok: { type: 'boolean' } })],
      () => 'state-ok',
    ),
    asks('test_input_required_result_tampered_state', [
      'confirm',
      form('Please confirm', { ok: { type: 'boolean' } }),
    ]),
    defineTool({
      ...harmless,
      name: 'test_input_required_result_multiple_inputs',
      description: 'Asks three things at once.',
      input: none,
      effects: () => [],
      run: async (_input, { invocation: { id } }) => {
        const answers = await Promise.all([
          client.request(id, 'user_name', nameForm),
          client.request(id, 'greeting', question('Generate a greeting', 50)),
          client.request(id, 'client_roots', { method: 'roots/list' }),
        ]);
        return { output: JSON.stringify(answers) };
      },
    }),
    defineTool({
      ...harmless,
      name: 'test_input_required_result_multi_round',
      description: 'Asks twice, one after the other.',
      input: none,
      effects: () => [],
      run: async (_input, { invocation: { id } }) => {
        const first = await client.request(id, 'step1', nameForm);
        const second = await client.request(
          id,
          'step2',
          form('What is your favourite colour?', { color: { type: 'string' } }),
        );
        return { output: JSON.stringify([first, second]) };
      },
    }),
    defineTool({
      ...harmless,
      name: 'test_input_required_result_capabilities',
      description: 'Asks by what the client can do.',
      input: none,
      effects: () => [],
      run: async (_input, { invocation: { id } }) => {
        const wanted: readonly (readonly [string, InputRequest])[] = [
          ['user_name', nameForm],
          ['greeting', question('Generate a greeting', 50)],
        ];
        const answers = await Promise.all(
          wanted
            .filter(([, request]) => client.canRequest(id, request))
            .map(([key, request]) => client.request(id, key, request)),
        );
        return { output: JSON.stringify(answers) };
      },
    }),
    defineTool({
      ...harmless,
      name: 'test_trigger_prompt_change',
      description: 'Changes the list of prompts.',
      input: none,
      effects: () => [],
      run: async () => {
        client.changed('prompts');
        return { output: 'Changed.' };
      },
    }),
  ];
}

function shown(answer: Readonly<Record<string, unknown>>): string {
  return `Elicitation completed: action=${String(answer['action'])}, content=${JSON.stringify(answer['content'] ?? answer)}`;
}
