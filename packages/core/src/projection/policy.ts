/** The schema id of a projection policy, as A3S v1 names it. */
export const PROJECTION_POLICY_SCHEMA = 'a3s.code.tool-result-transform-policy.v1';

/** How far the output of one tool call may go and what is kept when it goes further. Wire-compatible with A3S v1. */
export interface ProjectionPolicy {
  readonly schema: typeof PROJECTION_POLICY_SCHEMA;
  /** The bound on the projected output in UTF-8 bytes, markers included: 1,024–102,400. */
  readonly max_output_bytes: number;
  /** How much of the beginning is kept when the output is cut; less where markers need the room. */
  readonly head_bytes: number;
  /** How much of the end is kept when the output is cut; 0 keeps the beginning only. */
  readonly tail_bytes: number;
  /** Whether a run of identical lines becomes one line and a marker. */
  readonly fold_repeated_lines: boolean;
  /** How many identical lines make a run worth folding: 2–10,000. */
  readonly repeated_line_threshold: number;
  /** How many items of a JSON array or of NDJSON are kept when it does not fit: 0–1,024, 0 is off. */
  readonly structured_sample_items: number;
}

/** The default: the beginning up to the bound, nothing rewritten. */
export const conservativeProjection: ProjectionPolicy = Object.freeze({
  schema: PROJECTION_POLICY_SCHEMA,
  max_output_bytes: 102_400,
  head_bytes: 102_400,
  tail_bytes: 0,
  fold_repeated_lines: false,
  repeated_line_threshold: 3,
  structured_sample_items: 0,
});

/** Beginning and end, repeated lines folded, large JSON arrays sampled. */
export const contextEfficientProjection: ProjectionPolicy = Object.freeze({
  schema: PROJECTION_POLICY_SCHEMA,
  max_output_bytes: 102_400,
  head_bytes: 65_536,
  tail_bytes: 32_768,
  fold_repeated_lines: true,
  repeated_line_threshold: 3,
  structured_sample_items: 32,
});

/** One thing that is wrong with a policy. */
export interface PolicyMistake {
  /** JSON pointer (RFC 6901) to the value that is wrong; empty for the policy itself. */
  readonly path: string;
  readonly message: string;
}

/** Lists everything that is wrong with a would-be policy; an empty list means that it is one. */
export function findPolicyMistakes(value: unknown): readonly PolicyMistake[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [{ path: '', message: 'must be an object' }];
  }
  const fields = new Map(Object.entries(value));
  const mistakes: PolicyMistake[] = [];
  for (const [name, check] of Object.entries(FIELD_CHECKS)) {
    const message = fields.has(name) ? check(fields.get(name)) : 'is missing';
    if (message !== undefined) mistakes.push({ path: `/${name}`, message });
  }
  for (const name of fields.keys()) {
    if (!Object.hasOwn(FIELD_CHECKS, name)) {
      const allowed = Object.keys(FIELD_CHECKS).join(', ');
      mistakes.push({
        path: `/${toPointerToken(name)}`,
        message: `is not a field; allowed are ${allowed}`,
      });
    }
  }
  return mistakes.length > 0 ? mistakes : findReserveMistakes(fields);
}

/**
 * Takes a would-be policy and returns it frozen, with its fields in the declared order.
 * Throws a `TypeError` that names the path of every mistake.
 */
export function parseProjectionPolicy(value: unknown): ProjectionPolicy {
  if (isProjectionPolicy(value)) return Object.freeze(inDeclaredOrder(value));
  const list = findPolicyMistakes(value).map(
    ({ path, message }) => `${path === '' ? '(policy)' : path} ${message}`,
  );
  throw new TypeError(`Invalid projection policy: ${list.join('; ')}`);
}

/** The fields of a policy in the order in which its digest takes them. */
export function inDeclaredOrder(policy: ProjectionPolicy): ProjectionPolicy {
  return {
    schema: policy.schema,
    max_output_bytes: policy.max_output_bytes,
    head_bytes: policy.head_bytes,
    tail_bytes: policy.tail_bytes,
    fold_repeated_lines: policy.fold_repeated_lines,
    repeated_line_threshold: policy.repeated_line_threshold,
    structured_sample_items: policy.structured_sample_items,
  };
}

function isProjectionPolicy(value: unknown): value is ProjectionPolicy {
  return findPolicyMistakes(value).length === 0;
}

type FieldCheck = (value: unknown) => string | undefined;

const FIELD_CHECKS: { readonly [Name in keyof ProjectionPolicy]: FieldCheck } = {
  schema: (value) =>
    value === PROJECTION_POLICY_SCHEMA ? undefined : `must be "${PROJECTION_POLICY_SCHEMA}"`,
  max_output_bytes: integerFrom(1024, 102_400),
  head_bytes: integerFrom(1, 102_400),
  tail_bytes: integerFrom(0, 102_400),
  fold_repeated_lines: (value) =>
    typeof value === 'boolean' ? undefined : 'must be true or false',
  repeated_line_threshold: integerFrom(2, 10_000),
  structured_sample_items: integerFrom(0, 1024),
};

function integerFrom(minimum: number, maximum: number): FieldCheck {
  return (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum
      ? undefined
      : `must be an integer from ${minimum} to ${maximum}`;
}

/** A3S v1 sets 512 bytes aside for markers, except in the profile that keeps the beginning only. */
const MARKER_RESERVE_BYTES = 512;

function findReserveMistakes(fields: ReadonlyMap<string, unknown>): PolicyMistake[] {
  const max = Number(fields.get('max_output_bytes'));
  const head = Number(fields.get('head_bytes'));
  const tail = Number(fields.get('tail_bytes'));
  if ((tail === 0 && head === max) || head + tail + MARKER_RESERVE_BYTES <= max) return [];
  return [
    {
      path: '/head_bytes',
      message:
        `and /tail_bytes must leave ${MARKER_RESERVE_BYTES} bytes of /max_output_bytes for markers ` +
        `(${head} + ${tail} + ${MARKER_RESERVE_BYTES} > ${max}), or head_bytes be max_output_bytes and tail_bytes 0`,
    },
  ];
}

function toPointerToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
