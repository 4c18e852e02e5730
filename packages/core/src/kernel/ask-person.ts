import { isJsonArray, isJsonObject } from '../json/json.ts';
import { snapshotJson } from '../json/snapshot-json.ts';
import type { UserAnswer, UserQuestion } from '../tool/tool-context.ts';
import type { BoundCall } from './bound-call.ts';
import type { Deadline } from './deadline.ts';
import { emit } from './emit.ts';
import type { KernelSession } from './kernel-session.ts';

/** Bounds of a question: it is shown to a person. */
const questionLimits = { maxDepth: 8, maxBytes: 64 * 1024 };

/**
 * Puts a tool's question before the person at the session, for as long as they take. Who cannot answer, or
 * answers what is no answer, has not answered. Errors: `TypeError` for what is no question, the call's cancellation.
 */
export async function askPerson(
  session: KernelSession,
  { invocation }: BoundCall,
  asked: { readonly question: UserQuestion; readonly deadline: Deadline },
): Promise<UserAnswer> {
  const question = takeQuestion(asked.question);
  emit(session, invocation, () => ({
    type: 'user_question',
    question_id: session.nextId('question'),
    question: question.question,
    options: question.options ?? [],
  }));
  const { asker } = session;
  if (asker === undefined) return { answered: false, reason: 'nobody is there to answer' };
  const resume = asked.deadline.pause();
  try {
    return takeAnswer(
      await asker(question, { signal: invocation.signal, invocationId: invocation.id }),
    );
  } catch {
    invocation.signal.throwIfAborted();
    return { answered: false, reason: 'the question could not be put to the person' };
  } finally {
    resume();
  }
}

/** A private copy of what the tool asks. */
function takeQuestion(asked: UserQuestion): UserQuestion {
  const taken = snapshotJson(asked, questionLimits);
  const question = taken.ok && isJsonObject(taken.value) ? taken.value : {};
  const { question: text, options = [], allowFreeText } = question;
  const isText = (value: unknown): value is string => typeof value === 'string';
  if (!isText(text) || !isJsonArray(options) || !options.every(isText)) {
    throw new TypeError('A question is a text, and so is each of its options.');
  }
  return Object.freeze({
    question: text,
    ...(options.length === 0 ? {} : { options }),
    ...(typeof allowFreeText === 'boolean' ? { allowFreeText } : {}),
  });
}

function takeAnswer(given: {
  readonly answered?: unknown;
  readonly answer?: unknown;
  readonly reason?: unknown;
}): UserAnswer {
  const { answered, answer, reason } = given;
  if (answered === true && typeof answer === 'string') return { answered, answer };
  return {
    answered: false,
    reason: typeof reason === 'string' ? reason : 'the answer could not be read',
  };
}
