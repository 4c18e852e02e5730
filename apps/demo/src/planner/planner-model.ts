import type {
  LanguageModelV4,
  LanguageModelV4Content,
  LanguageModelV4Prompt,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { decide, type Observation } from './decide.ts';

const usage: LanguageModelV4Usage = {
  inputTokens: {
    total: undefined,
    noCache: undefined,
    cacheRead: undefined,
    cacheWrite: undefined,
  },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/**
 * A language model without a network: it looks at what the tools have answered so far and decides the next call by
 * rules. It knows one kind of defect (a loop that runs one past the end), and finds it in whatever files it is shown.
 */
export function createPlannerModel(): LanguageModelV4 {
  let calls = 0;
  return {
    specificationVersion: 'v4',
    provider: 'toolwright-demo',
    modelId: 'planner',
    supportedUrls: {},
    doGenerate: async ({ prompt }) => {
      const next = decide(toObservations(prompt));
      const content: LanguageModelV4Content[] = [{ type: 'text', text: next.thought }];
      if (next.call !== undefined) {
        calls += 1;
        content.push({
          type: 'tool-call',
          toolCallId: `plan-${calls}`,
          toolName: next.call.name,
          input: JSON.stringify(next.call.arguments),
        });
      }
      return {
        content,
        finishReason: { unified: next.call === undefined ? 'stop' : 'tool-calls', raw: undefined },
        usage,
        warnings: [],
      };
    },
    doStream: async () => {
      throw new TypeError('The planner does not stream; use generateText.');
    },
  };
}

/** The calls so far with what came of them, in order. */
function toObservations(prompt: LanguageModelV4Prompt): readonly Observation[] {
  const calls = new Map<string, { readonly name: string; readonly input: unknown }>();
  const observations: Observation[] = [];
  for (const message of prompt) {
    if (message.role !== 'assistant' && message.role !== 'tool') continue;
    for (const part of message.content) {
      if (part.type === 'tool-call') {
        calls.set(part.toolCallId, { name: part.toolName, input: part.input });
      } else if (part.type === 'tool-result') {
        const call = calls.get(part.toolCallId);
        if (call === undefined) continue;
        const { output } = part;
        const isText = output.type === 'text' || output.type === 'error-text';
        observations.push({
          name: call.name,
          input: toRecord(call.input),
          text: isText ? output.value : JSON.stringify(output),
          ok: output.type === 'text' || output.type === 'content',
        });
      }
    }
  }
  return observations;
}

function toRecord(input: unknown): Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null ? { ...input } : {};
}
