import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { DemoOptions } from './demo-options.ts';
import { createPlannerModel } from './planner/planner-model.ts';

/** The model, and what to call it. */
export interface ChosenModel {
  readonly model: LanguageModelV4;
  readonly label: string;
}

/**
 * The model that the options and the environment name; without a key the planner. Errors: `TypeError` when the user's
 * own project is to be worked on and there is only the planner.
 */
export async function chooseModel(
  options: DemoOptions,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ChosenModel> {
  if (options.baseUrl !== undefined) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const apiKey = env['OPENAI_API_KEY'];
    const provider = createOpenAICompatible({
      name: 'custom',
      baseURL: options.baseUrl,
      ...(apiKey === undefined ? {} : { apiKey }),
    });
    const id = options.model ?? 'default';
    return { model: provider(id), label: `${id} at ${options.baseUrl}` };
  }
  if (env['ANTHROPIC_API_KEY']) {
    const { anthropic } = await import('@ai-sdk/anthropic');
    const id = options.model ?? 'claude-sonnet-4-5';
    return { model: anthropic(id), label: id };
  }
  if (env['OPENAI_API_KEY']) {
    const { openai } = await import('@ai-sdk/openai');
    const id = options.model ?? 'gpt-5';
    return { model: openai(id), label: id };
  }
  if (options.workspace !== undefined) {
    throw new TypeError(
      'Your own project needs a real model: set OPENAI_API_KEY or ANTHROPIC_API_KEY, or pass --base-url.',
    );
  }
  return {
    model: createPlannerModel(),
    label: 'the planner that comes with the demo',
  };
}
