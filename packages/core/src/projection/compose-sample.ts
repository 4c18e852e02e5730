import type { ArtifactRetention } from '../artifacts/artifact-store.ts';
import { utf8Length } from '../digest/sha256.ts';
import { concatenateBytes } from '../artifacts/concatenate-bytes.ts';
import type { ComposedOutput } from './compose.ts';
import { ItemSample } from './item-sample.ts';
import type { JsonSample } from './json-sampler.ts';
import type { ProjectionPolicy } from './policy.ts';
import { TRANSFORM_ALGORITHM } from './transform-binding.ts';
import { decode } from './utf8-cut.ts';

/**
 * Composes the largest sample that fits: valid JSON (or NDJSON) whose items, and what stands around its arrays, are byte
 * by byte those of the original. Where items were left out, `$a3s_sample` says how many, and the first one says where
 * the original is. `undefined` if not even one item of each array fits, or nothing was left out.
 */
export function composeSample(
  sample: JsonSample,
  policy: ProjectionPolicy,
  retention: ArtifactRetention,
): ComposedOutput | undefined {
  const sections = toSections(sample);
  const options = { retention, kind: sample.kind } as const;
  for (let limit = policy.structured_sample_items; limit > 0; limit -= 1) {
    const layout = layOut(sections, limit, options);
    if (layout === undefined || layout.bytes > policy.max_output_bytes) continue;
    if (!layout.isLossy) return undefined;
    const { text } = decode(concatenateBytes(layout.parts()));
    // Ill-formed UTF-8 in a string grows when it is replaced.
    if (utf8Length(text) > policy.max_output_bytes) continue;
    return { output: text, lossMode: 'deterministic_transform', shownBytes: layout.shownBytes };
  }
  return undefined;
}

/** Bytes as they are, or items to choose from. */
type Section = Uint8Array | Items;

interface Items {
  readonly count: number;
  readonly head: readonly Uint8Array[];
  readonly tail: readonly Uint8Array[];
  /** Bytes of the first so many items of the head. */
  readonly headSums: readonly number[];
  /** Bytes of the last so many items of the tail. */
  readonly tailSums: readonly number[];
}

function toSections(sample: JsonSample): readonly Section[] {
  if (sample.kind === 'document') {
    return sample.parts.map((part) => (part instanceof ItemSample ? toItems(part) : part));
  }
  const lastBreak = encode(sample.endsWithLineBreak ? '\n' : '');
  return [toItems(sample.lines), lastBreak];
}

function toItems({ count, head, tail }: ItemSample): Items {
  return { count, head, tail, headSums: sums(head), tailSums: sums(tail.toReversed()) };
}

function sums(items: readonly Uint8Array[]): number[] {
  const totals = [0];
  for (const { length } of items) totals.push((totals.at(-1) ?? 0) + length);
  return totals;
}

interface Layout {
  readonly bytes: number;
  /** Bytes of the original among them. */
  readonly shownBytes: number;
  readonly isLossy: boolean;
  readonly parts: () => Uint8Array[];
}

interface LayoutOptions {
  readonly retention: ArtifactRetention;
  readonly kind: JsonSample['kind'];
}

/** Chooses up to `limit` items everywhere; `undefined` if they were not kept. */
function layOut(
  sections: readonly Section[],
  limit: number,
  { retention, kind }: LayoutOptions,
): Layout | undefined {
  const pieces: (() => readonly Uint8Array[])[] = [];
  let bytes = 0;
  let shownBytes = 0;
  let isLossy = false;
  for (const section of sections) {
    if (section instanceof Uint8Array) {
      bytes += section.length;
      shownBytes += section.length;
      pieces.push(() => [section]);
      continue;
    }
    const choice = choose(section, limit);
    if (choice === undefined) return undefined;
    const frame = kind === 'lines' ? frameLines : frameArray;
    const framed = frame(section, choice, isLossy ? undefined : retention);
    bytes += framed.bytes + choice.bytes;
    shownBytes += choice.bytes;
    isLossy ||= choice.head + choice.tail < section.count;
    pieces.push(framed.parts);
  }
  return { bytes, shownBytes, isLossy, parts: () => pieces.flatMap((piece) => piece()) };
}

interface Choice {
  readonly head: number;
  readonly tail: number;
  /** Bytes of the chosen items. */
  readonly bytes: number;
}

function choose(
  { count, head, tail, headSums, tailSums }: Items,
  limit: number,
): Choice | undefined {
  const isWhole = count <= limit;
  const chosenHead = isWhole ? Math.min(count, head.length) : Math.ceil(limit / 2);
  const chosenTail = (isWhole ? count : limit) - chosenHead;
  const headBytes = headSums[chosenHead];
  const tailBytes = tailSums[chosenTail];
  if (headBytes === undefined || tailBytes === undefined || chosenTail > tail.length)
    return undefined;
  return { head: chosenHead, tail: chosenTail, bytes: headBytes + tailBytes };
}

interface Framed {
  /** Bytes beside those of the items. */
  readonly bytes: number;
  readonly parts: () => Uint8Array[];
}

/** An array with all of its items, or the object that A3S v1 puts in place of one with some. */
function frameArray(
  items: Items,
  choice: Choice,
  retention: ArtifactRetention | undefined,
): Framed {
  const isWhole = choice.head + choice.tail === items.count;
  const note = isWhole ? '' : sampleNote('json_array', { items, choice, retention });
  const before = encode(isWhole ? '[' : `{${note},"items":[`);
  const after = encode(isWhole ? ']' : ']}');
  const commas = Math.max(0, choice.head + choice.tail - 1);
  return {
    bytes: before.length + commas + after.length,
    parts: () => [before, ...join(chosen(items, choice), encode(',')), after],
  };
}

/** Lines as they were, with a line of its own where others were left out. */
function frameLines(
  items: Items,
  choice: Choice,
  retention: ArtifactRetention | undefined,
): Framed {
  const isWhole = choice.head + choice.tail === items.count;
  const note = isWhole ? [] : [encode(`{${sampleNote('ndjson', { items, choice, retention })}}`)];
  const lineBreaks = choice.head + choice.tail + note.length - 1;
  return {
    bytes: lineBreaks + (note[0]?.length ?? 0),
    parts: () => {
      const lines = chosen(items, choice);
      return join(
        [...lines.slice(0, choice.head), ...note, ...lines.slice(choice.head)],
        encode('\n'),
      );
    },
  };
}

interface NoteFacts {
  readonly items: Items;
  readonly choice: Choice;
  /** Told in the first note only. */
  readonly retention: ArtifactRetention | undefined;
}

function sampleNote(
  kind: 'json_array' | 'ndjson',
  { items, choice, retention }: NoteFacts,
): string {
  const retained = choice.head + choice.tail;
  const note = {
    schema: TRANSFORM_ALGORITHM,
    kind,
    original_items: items.count,
    retained_items: retained,
    omitted_items: items.count - retained,
    ...(retention?.retained === true && { artifact_uri: retention.artifact.uri }),
    ...(retention?.retained === false && { not_retained: retention.reason }),
  };
  return `"$a3s_sample":${JSON.stringify(note)}`;
}

function chosen({ head, tail }: Items, choice: Choice): Uint8Array[] {
  return [...head.slice(0, choice.head), ...tail.slice(tail.length - choice.tail)];
}

function join(parts: readonly Uint8Array[], separator: Uint8Array): Uint8Array[] {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]));
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
