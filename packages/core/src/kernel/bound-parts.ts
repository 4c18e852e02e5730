import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { snapshotJson } from '../json/snapshot-json.ts';
import type { ContentBlock, ToolOutput } from '../tool/tool-output.ts';
import type { Invocation } from './invocation.ts';
import type { KernelSession } from './kernel-session.ts';
import type { Outcome } from './project-result.ts';
import { whenReady, type Ready } from './when-ready.ts';

/** Bytes of JSON that structured content and metadata may each have. */
export const maxPartBytes = 64 * 1024;

/** Bytes of base64 and text that the content blocks of one result may have together: 8 MiB. */
export const maxContentBytes = 8 * 1024 * 1024;

/** A part within its bound, and what there is to say when it was not. */
export interface BoundPart<T> {
  readonly value: T | undefined;
  readonly note?: JsonObject;
}

/** What a tool hands over may be anything: only JSON goes on, as a private frozen copy. */
const jsonLimits = { maxDepth: 128, maxBytes: 64 * 1024 * 1024 };

/** What a tool's output schema promises of its structured content; each throws `internal` where it is broken. */
export interface Promised {
  check(structured: JsonValue): void;
  broken(how: string): void;
}

/** Everything of a result but its text. */
export interface BoundParts {
  readonly metadata: BoundPart<JsonValue>;
  readonly structured: BoundPart<JsonValue>;
  readonly content: BoundPart<readonly ContentBlock[]>;
}

/** Bounds the parts of an outcome, one after the other: what each leaves out is kept in this order. */
export function boundParts(
  session: KernelSession,
  invocation: Invocation,
  { outcome, promised }: { readonly outcome: Outcome; readonly promised: Promised | undefined },
): Ready<BoundParts> {
  const { metadata, structured, content }: Partial<ToolOutput> =
    outcome.kind === 'output' ? outcome.output : { metadata: outcome.metadata };
  if (outcome.kind === 'output' && structured === undefined && outcome.output.exitCode === 0) {
    promised?.broken('there is none');
  }
  if (metadata === undefined && structured === undefined && content === undefined) return noParts;
  const bound = (part: 'metadata' | 'structured', value: JsonValue | undefined) =>
    value === undefined ? none : boundJson(session, invocation, { part, value, promised });
  return whenReady(bound('metadata', metadata), (first) =>
    whenReady(bound('structured', structured), (second) => {
      if (content === undefined) return { metadata: first, structured: second, content: none };
      return boundContent(session, invocation, content).then((third) => ({
        metadata: first,
        structured: second,
        content: third,
      }));
    }),
  );
}

/** A part that the tool left out. */
const none: BoundPart<never> = { value: undefined };

const noParts: BoundParts = { metadata: none, structured: none, content: none };

/** Lets a JSON part through when it fits; else keeps it as an artifact and says where. */
function boundJson(
  session: KernelSession,
  invocation: Invocation,
  part: {
    readonly part: 'metadata' | 'structured';
    readonly value: JsonValue;
    readonly promised: Promised | undefined;
  },
): Ready<BoundPart<JsonValue>> {
  const copy = snapshotJson(part.value, jsonLimits);
  if (!copy.ok) {
    const { reason, path, message } = copy.problem;
    if (part.part === 'structured') part.promised?.broken(`${path || 'it'} ${message}`);
    return { value: undefined, note: { [`${part.part}_omitted`]: { reason, path } } };
  }
  if (part.part === 'structured') part.promised?.check(copy.value);
  const value = session.sanitiser.active ? session.sanitiser.json(copy.value) : copy.value;
  const text = JSON.stringify(value);
  if (text.length <= maxPartBytes / 3) return { value };
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxPartBytes) return { value };
  return session.artifacts.keep(invocation, bytes, 'application/json').then((kept) => ({
    value: undefined,
    note: { [`${part.part}_omitted`]: { original_bytes: bytes.length, ...kept } },
  }));
}

/** Lets content blocks through, in order, until their bytes are used up; the rest is kept as artifacts. */
async function boundContent(
  session: KernelSession,
  invocation: Invocation,
  content: readonly ContentBlock[],
): Promise<BoundPart<readonly ContentBlock[]>> {
  const copy = snapshotJson(content, jsonLimits);
  if (!copy.ok || !isJsonArray(copy.value)) {
    const problem = copy.ok ? { reason: 'not_json', path: '' } : copy.problem;
    return {
      value: undefined,
      note: { content_omitted: { reason: problem.reason, path: problem.path } },
    };
  }
  const blocks: ContentBlock[] = [];
  const omitted: JsonObject[] = [];
  let room = maxContentBytes;
  let broken: JsonObject | undefined;
  for (const [index, value] of copy.value.entries()) {
    if (!isBlock(value)) {
      omitted.push({ index, reason: 'no_block' });
      continue;
    }
    const block = value;
    const clean = session.sanitiser.active ? session.sanitiser.json(block) : block;
    const text = JSON.stringify(clean);
    if (text.length <= room) {
      room -= text.length;
      blocks.push(clean);
    } else {
      const bytes = new TextEncoder().encode(text);
      // A store that failed is not asked again for each block: it may be slow to fail.
      const kept = broken ?? (await session.artifacts.keep(invocation, bytes, 'application/json'));
      if (kept['reason'] === 'store_failed') broken = kept;
      omitted.push({ index, type: block.type, original_bytes: bytes.length, ...kept });
    }
  }
  return {
    value: blocks.length === 0 ? undefined : Object.freeze(blocks),
    ...(omitted.length > 0 && { note: { content_omitted: omitted } }),
  };
}

/** Whether something says which kind of block it is; a client takes the kinds that it knows. */
function isBlock(value: JsonValue): value is ContentBlock & JsonObject {
  return isJsonObject(value) && typeof value['type'] === 'string';
}
