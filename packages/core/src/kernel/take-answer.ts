import type { ApprovalAnswer } from '../approval/approval.ts';
import type { JsonObject } from '../json/json.ts';

/** What was given as an answer: any field may be anything. */
type Given = { readonly [Field in 'decision' | 'arguments' | 'remember' | 'reason']?: unknown };

/** An answer as a private copy, each field read once; what is none is a rejection. */
export function takeAnswer(answer: unknown): ApprovalAnswer {
  if (typeof answer !== 'object' || answer === null) return unreadable;
  const { decision, arguments: args, remember, reason }: Given = answer;
  if (decision === 'reject') return { decision, ...(typeof reason === 'string' && { reason }) };
  if (decision !== 'approve') return unreadable;
  const remembered = remember === true ? { remember } : {};
  if (args === undefined) return { decision, ...remembered };
  // Whatever it is, it is validated like the arguments of any call.
  return { decision, arguments: args as JsonObject, ...remembered };
}

const unreadable: ApprovalAnswer = { decision: 'reject', reason: 'the answer could not be read' };
