import { randomUUID } from 'node:crypto';
import type { Session } from '@toolwright/core';
import { toApprovalAnswer, toApprovalForm, toQuestionForm, toUserAnswer } from './ask-person.ts';
import type { CallRegistry } from './call-registry.ts';
import type { ClientRoots } from './client-roots.ts';
import type { McpClient } from './mcp-client.ts';
import type { RunningCall } from './running-call.ts';

/** What a client is made from. */
export interface ClientParts {
  readonly principal: string | undefined;
  readonly calls: CallRegistry;
  readonly roots: ClientRoots;
  readonly changed: McpClient['changed'];
  /** The session, once it is open. */
  readonly session: () => Session | undefined;
}

/** The client of a session as the session's host sees it: who is asked, and through which of its calls. */
export function createClient(parts: ClientParts): McpClient {
  const { principal, calls, roots, changed } = parts;
  const find = (id: string): RunningCall | undefined =>
    calls.find(id, () => parts.session()?.activeTools() ?? []);
  return {
    principal,
    changed,
    approver: async (pending) => {
      const call = find(pending.call.id);
      const form = toApprovalForm(pending);
      if (call?.canRequest(form) !== true) return undefined;
      // A key that nobody can know before: an answer is one to this very form.
      return toApprovalAnswer(await call.request(`approval-${randomUUID()}`, form));
    },
    asker: async (question, { invocationId }) => {
      const call = find(invocationId);
      const form = toQuestionForm(question);
      if (call?.canRequest(form) !== true) {
        return { answered: false, reason: 'the MCP client cannot ask its user' };
      }
      return toUserAnswer(await call.request(`question-${randomUUID()}`, form));
    },
    roots: async () => roots.uris(),
    request: async (id, key, request) => {
      const call = find(id);
      if (call === undefined) throw new TypeError(`No client waits for the call ${id}.`);
      return call.request(key, request);
    },
    canRequest: (id, request) => find(id)?.canRequest(request) ?? false,
    log: async (id, level, data) => find(id)?.log(level, data),
  };
}
