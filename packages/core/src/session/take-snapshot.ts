import { isJsonObject } from '../json/json.ts';
import { snapshotJson } from '../json/snapshot-json.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { parseProjectionPolicy } from '../projection/policy.ts';
import { effectKinds } from '../tool/effects.ts';
import { createValidator } from '../validation/validator.ts';
import type { SessionSnapshot } from './snapshot.ts';

const text = { type: 'string' } as const;
const name = { type: 'string', minLength: 1 } as const;
const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
const closed = (
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((key) => !optional.includes(key)),
  additionalProperties: false,
});

/** The parts whose shape is not looked at by who takes them over. */
const parts = {
  session_id: name,
  loaded_tools: list(closed({ name, by: text })),
  pending_approvals: list(
    closed({
      id: name,
      session_id: name,
      call: closed({ id: text, name, arguments: { type: 'object' } }),
      origin: { enum: ['agent', 'nested', 'host', 'host-nested'] },
      digests: closed({ definition: name, arguments: name }),
      effects: list(
        closed({ kind: { enum: effectKinds }, target: text, method: name }, ['method']),
      ),
      reason: text,
      grants: list({ type: 'object' }),
      expires_at: { type: 'number' },
    }),
  ),
  grants: list({ type: 'object' }),
  tainted: { type: 'boolean' },
  artifacts: list(
    closed({
      uri: name,
      id: text,
      tool: text,
      sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
      bytes: { type: 'integer', minimum: 0 },
      mediaType: text,
    }),
  ),
} satisfies Partial<Record<keyof SessionSnapshot, JsonSchema>>;

/** Bounds of a snapshot as JSON. */
const limits = { maxDepth: 128, maxBytes: 64 * 1024 * 1024 };

/**
 * What comes back from a disk or a queue as a private, frozen copy, refused before anything opens. Errors: `TypeError` that
 * says what is wrong, for another schema, a part of another shape, and an approval of another session.
 */
export function takeSnapshot(given: SessionSnapshot): SessionSnapshot {
  const taken = snapshotJson(given, limits);
  if (!taken.ok || !isJsonObject(taken.value) || taken.value['schema'] !== schemaId) {
    throw new TypeError('This is no session snapshot of version 1.');
  }
  const { valid, message } = createValidator({
    type: 'object',
    properties: parts,
    required: Object.keys(parts),
  }).check(taken.value);
  if (!valid) throw new TypeError(`The session snapshot is damaged: ${message}.`);
  // Its parts were just looked at; the projection is below, and rules are where they are granted.
  const snapshot = taken.value as unknown as SessionSnapshot;
  parseProjectionPolicy(snapshot.projection);
  const foreign = snapshot.pending_approvals.find(
    ({ session_id }) => session_id !== snapshot.session_id,
  );
  if (foreign === undefined) return snapshot;
  throw new TypeError(
    `The session snapshot has the approval ${JSON.stringify(foreign.id)} of another session.`,
  );
}

const schemaId: SessionSnapshot['schema'] = 'toolwright.session-snapshot.v1';
