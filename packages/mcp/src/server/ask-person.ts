import type { InputRequest } from '@modelcontextprotocol/server';
import type { ApprovalAnswer, PendingApproval, UserAnswer, UserQuestion } from '@toolwright/core';

/** Characters of the arguments that an approval shows, at most. */
const maxShownArguments = 2_000;

/** Effects that an approval lists one by one. */
const maxShownEffects = 20;

const choices = {
  once: 'allow once',
  session: 'allow for this session',
  reject: 'reject',
} as const;

/** What a person is shown of a pending approval: the call, why it asks, and each effect that it will have. */
export function toApprovalForm(pending: PendingApproval): InputRequest {
  const { call, effects, reason, grants } = pending;
  const shown = effects
    .slice(0, maxShownEffects)
    .map(({ kind, target }) => `- ${kind} ${printable(target)}`);
  if (effects.length > maxShownEffects)
    shown.push(`- and ${effects.length - maxShownEffects} more`);
  const args = printable(JSON.stringify(call.arguments));
  const allowed = grants.map(
    ({ effect, target }) => `${effect ?? '*'}:${printable(target ?? '*')}`,
  );
  const message = [
    `The tool ${call.name} asks for leave: ${printable(reason)}.`,
    'What it will do:',
    ...shown,
    `Arguments: ${args.length > maxShownArguments ? `${args.slice(0, maxShownArguments)}…` : args}`,
    ...(allowed.length === 0
      ? []
      : [`"${choices.session}" also allows from now on: ${allowed.join(', ')}`]),
  ].join('\n');
  return {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message,
      requestedSchema: {
        type: 'object',
        properties: {
          // No default: a client that fills in forms by itself must not give leave.
          decision: {
            type: 'string',
            title: 'Your decision',
            enum: [choices.once, ...(grants.length === 0 ? [] : [choices.session]), choices.reject],
          },
        },
        required: ['decision'],
      },
    },
  };
}

/** What the person decided; everything but a clear yes is a no. */
export function toApprovalAnswer(answer: Readonly<Record<string, unknown>>): ApprovalAnswer {
  const { action } = answer;
  if (action !== 'accept')
    return { decision: 'reject', reason: `the form was answered by ${word(action)}` };
  switch (contentOf(answer)['decision']) {
    case choices.once:
      return { decision: 'approve' };
    case choices.session:
      return { decision: 'approve', remember: true };
    case choices.reject:
      return { decision: 'reject', reason: 'the person chose to reject it' };
    default:
      return { decision: 'reject', reason: 'the form came back without a decision' };
  }
}

/** A tool's question as a form. */
export function toQuestionForm(question: UserQuestion): InputRequest {
  const { options = [], allowFreeText = options.length === 0 } = question;
  return {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: question.question.split('\n').map(printable).join('\n'),
      requestedSchema: {
        type: 'object',
        properties: {
          answer: {
            type: 'string',
            title: 'Your answer',
            ...(options.length === 0
              ? {}
              : allowFreeText
                ? { description: `For example: ${options.map(printable).join(' | ')}` }
                : { enum: [...options] }),
          },
        },
        required: ['answer'],
      },
    },
  };
}

/** What the person answered to a tool's question. */
export function toUserAnswer(answer: Readonly<Record<string, unknown>>): UserAnswer {
  const text = contentOf(answer)['answer'];
  if (answer['action'] === 'accept' && typeof text === 'string') {
    return { answered: true, answer: text };
  }
  return { answered: false, reason: `the form was answered by ${word(answer['action'])}` };
}

function contentOf({
  content,
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  // Any object can be read by its keys; the values are checked where they are used.
  return typeof content === 'object' && content !== null ? { ...content } : {};
}

function word(action: unknown): string {
  return action === 'decline' || action === 'cancel' || action === 'accept'
    ? action
    : 'nothing clear';
}

/** Control characters and turned writing directions must not deceive the person who decides. */
function printable(text: string): string {
  return text.replaceAll(
    /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
