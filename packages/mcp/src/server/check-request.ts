import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import { isNestedTooDeeply, MAX_NESTING } from '../wire/nesting.ts';
import { levels } from './log-levels.ts';

/** A request whose parameters have the shape that its method wants, or what is wrong with them. */
export type CheckedRequest =
  | { readonly ok: true; readonly message: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string };

/** What one parameter must be. */
type Shape = 'text' | 'text, if any' | 'object' | 'object, if any' | 'level';

const page = { cursor: 'text, if any' } as const;
const resource = { uri: 'text' } as const;

const shapes: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  'tools/list': page,
  'tools/call': { name: 'text', arguments: 'object, if any' },
  'resources/list': page,
  'resources/templates/list': page,
  'resources/read': resource,
  'resources/subscribe': resource,
  'resources/unsubscribe': resource,
  'prompts/list': page,
  'prompts/get': { name: 'text', arguments: 'object, if any' },
  'completion/complete': { ref: 'object', argument: 'object' },
  'logging/setLevel': { level: 'level' },
};

/** Methods that revision 2026-07-28 has no longer. */
const retired: ReadonlySet<string> = new Set([
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

/**
 * Looks at the parameters of a request before the SDK does, which answers wrong ones as a defect of its own and with a
 * page of JSON. A `null` where a parameter may be left out counts as left out: some clients write absent ones so.
 */
export function checkRequest(message: Readonly<Record<string, unknown>>): CheckedRequest {
  if (isNestedTooDeeply(message)) {
    return { ok: false, problem: `The message is nested more than ${MAX_NESTING} levels deep.` };
  }
  const { method } = message;
  const params = toRecord(message['params']);
  const shape = typeof method === 'string' ? shapeFor(method, params) : undefined;
  if (shape === undefined) return { ok: true, message };
  const taken: Record<string, unknown> = { ...params };
  for (const [name, wanted] of Object.entries(shape)) {
    const value = params[name];
    if (wanted.endsWith('if any') && (value === undefined || value === null)) delete taken[name];
    else if (!isOfShape(value, wanted)) {
      return { ok: false, problem: `"params.${name}" must be ${words[wanted]}.` };
    }
  }
  return {
    ok: true,
    message: message['params'] === undefined ? message : { ...message, params: taken },
  };
}

/** What a method wants; nothing is looked at of one that the protocol of the request does not know. */
function shapeFor(
  method: string,
  params: Readonly<Record<string, unknown>>,
): Readonly<Record<string, Shape>> | undefined {
  const isModern = Object.hasOwn(toRecord(params['_meta']), PROTOCOL_VERSION_META_KEY);
  if (!Object.hasOwn(shapes, method) || (isModern && retired.has(method))) return undefined;
  return shapes[method];
}

const words: Readonly<Record<Shape, string>> = {
  text: 'a string',
  'text, if any': 'a string, or left out',
  object: 'an object',
  'object, if any': 'an object, or left out',
  level: `one of ${levels.join(', ')}`,
};

function isOfShape(value: unknown, wanted: Shape): boolean {
  if (wanted === 'level') return levels.some((level) => level === value);
  return wanted.startsWith('text') ? typeof value === 'string' : isRecord(value);
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
