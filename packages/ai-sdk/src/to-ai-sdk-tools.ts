import type { JsonValue, Session, ToolResult } from '@toolwright/core';
import { dynamicTool, jsonSchema, type ModelMessage, type Tool, type ToolSet } from 'ai';
import { toModelOutput } from './to-model-output.ts';

/** A tool call as the AI SDK hands it to an approval function. */
interface CallToApprove {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/** What goes into `generateText`, `streamText` or `ToolLoopAgent`. */
export interface AiSdkTools {
  /** The tools that the session shows to a model, by name, each calling through the kernel. */
  readonly tools: ToolSet;
  /**
   * Lets the SDK's own approval flow ask for what the session's policy asks: pass it as `toolApproval`. Without it,
   * what policy asks goes to the session's approver, or is refused.
   */
  readonly toolApproval: (options: {
    readonly toolCall: CallToApprove;
  }) => Promise<'user-approval' | { type: 'user-approval'; reason: string } | undefined>;
  /** Text for the model about the families present. */
  readonly instructions: string;
}

/**
 * A session as AI SDK tools. Arguments are validated (and repaired) by the kernel, not by the SDK, so a mistake comes
 * back as a result that the model can act on. The tool call's id is the invocation's id; the SDK's abort signal cancels
 * it. An answer that a person gave through the SDK is used once and only for the call that was shown.
 */
export function toAiSdkTools(session: Session): AiSdkTools {
  const tools: Record<string, Tool> = {};
  for (const { name, description, parameters } of session.toolDefinitions()) {
    tools[name] = dynamicTool({
      description,
      inputSchema: jsonSchema(parameters, {
        validate: (value) => ({ success: true, value }),
      }),
      execute: async (input, { toolCallId, abortSignal, messages }): Promise<ToolResult> => {
        const approval = isApproved(messages, toolCallId)
          ? session
              .pendingApprovals()
              .find(({ call }) => call.id === toolCallId && call.name === name)
          : undefined;
        return session.invoke(
          { id: toolCallId, name, arguments: toArguments(input) },
          {
            ...(abortSignal === undefined ? {} : { signal: abortSignal }),
            ...(approval === undefined ? {} : { approval }),
          },
        );
      },
      // The output is what execute above resolved to.
      toModelOutput: ({ output }) => toModelOutput(output as ToolResult),
    });
  }
  return {
    tools,
    toolApproval: async ({ toolCall }) => {
      const { toolCallId: id, toolName: name, input } = toolCall;
      if (tools[name] === undefined) return undefined;
      // What policy denies runs into the kernel's refusal, which tells the model why.
      const prepared = await session.prepare({ id, name, arguments: toArguments(input) });
      return prepared.decision === 'ask'
        ? { type: 'user-approval', reason: prepared.reason }
        : undefined;
    },
    instructions: session.instructions(),
  };
}

/**
 * Whether a person has approved a call through the SDK. That an approval is pending says nothing: the session's own approver may
 * be thinking about a call of the same id, or a session before this one may have asked and never heard.
 */
function isApproved(messages: readonly ModelMessage[], toolCallId: string): boolean {
  const requests = new Set<string>();
  for (const { role, content } of messages) {
    if (typeof content === 'string') continue;
    for (const part of content) {
      if (role === 'assistant' && part.type === 'tool-approval-request') {
        if (part.toolCallId === toolCallId) requests.add(part.approvalId);
      } else if (role === 'tool' && part.type === 'tool-approval-response') {
        if (part.approved && requests.has(part.approvalId)) return true;
      }
    }
  }
  return false;
}

/** Models' arguments are JSON; whatever else a middleware made of them, the kernel's validation refuses. */
function toArguments(input: unknown): JsonValue {
  return input === undefined ? {} : (input as JsonValue);
}
