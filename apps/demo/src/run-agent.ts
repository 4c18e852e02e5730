import type { Session } from '@toolwright/core';
import { toAiSdkTools } from '@toolwright/ai-sdk';
import type { LanguageModelV4, LanguageModelV4Middleware } from '@ai-sdk/provider';
import { generateText, isStepCount, wrapLanguageModel, type ModelMessage } from 'ai';
import type { DemoView } from './demo-view.ts';

/** The agent's job. */
export interface AgentJob {
  readonly session: Session;
  readonly model: LanguageModelV4;
  readonly task: string;
  readonly maxSteps: number;
  readonly view: DemoView;
}

/** Rounds of asking a person, at most. */
const maxRounds = 32;

/** Runs the AI SDK's own loop over the session's tools until the model is done. */
export async function runAgent(job: AgentJob): Promise<void> {
  const { session, view } = job;
  const model = wrapLanguageModel({ model: job.model, middleware: thinkingAloud(view) });
  const { tools, toolApproval, instructions } = toAiSdkTools(session);
  const messages: ModelMessage[] = [{ role: 'user', content: job.task }];
  for (let round = 0; round < maxRounds; round += 1) {
    const result = await generateText({
      model,
      tools,
      instructions,
      messages,
      stopWhen: isStepCount(job.maxSteps),
      // Where a person sits, the SDK's own flow asks; else the session's policy decides alone.
      ...(view.canAsk ? { toolApproval } : {}),
    });
    messages.push(...result.responseMessages);
    const asked = result.content.filter(
      (part) => part.type === 'tool-approval-request' && part.isAutomatic !== true,
    );
    if (asked.length === 0) return;
    const content = [];
    for (const request of asked) {
      if (request.type !== 'tool-approval-request') continue;
      const approved = await view.ask(request.toolCall.toolName, request.toolCall.input);
      content.push({
        type: 'tool-approval-response' as const,
        approvalId: request.approvalId,
        approved,
      });
    }
    messages.push({ role: 'tool', content });
  }
  throw new Error(`The agent asked more than ${maxRounds} times.`);
}

/** Shows what a model says before its calls run. */
function thinkingAloud(view: DemoView): LanguageModelV4Middleware {
  return {
    specificationVersion: 'v4',
    wrapGenerate: async ({ doGenerate }) => {
      const result = await doGenerate();
      for (const part of result.content) if (part.type === 'text') view.thought(part.text);
      return result;
    },
  };
}
