import { includesCodePoint, rangesOf, type CodePointSet } from './code-point-set.ts';
import type { RegexNode } from './syntax.ts';

/** A set of byte values: 256 flags. */
export type ByteSet = Uint8Array;

/** Bytes that stand side by side, each one of a set. */
export type ByteSequence = readonly ByteSet[];

/** What every match of a pattern must contain: one of these sequences. */
export interface RequiredBytes {
  readonly alternatives: readonly ByteSequence[];
  /** A place where an alternative occurs *is* a match, and there are no others. */
  readonly exact: boolean;
}

const maxAlternatives = 8;
const maxLength = 32;

/**
 * What is known of the bytes of a node's matches. `whole`: every match is one of these sequences. `best`: every
 * match contains one of these. `head` and `tail`: every match begins or ends with one of these.
 */
interface Knowledge {
  readonly whole: readonly ByteSequence[] | undefined;
  readonly best: readonly ByteSequence[] | undefined;
  readonly head: readonly ByteSequence[];
  readonly tail: readonly ByteSequence[];
  /** Sets stand for themselves: no approximation was made. */
  readonly precise: boolean;
}

/** Finds the rarest byte sequences that a match cannot do without; undefined when there are none worth looking for. */
export function requiredBytes(node: RegexNode): RequiredBytes | undefined {
  const knowledge = know(node);
  const best = rarer(knowledge.best, knowledge.whole);
  if (best === undefined || best.some((sequence) => sequence.length === 0)) return undefined;
  if (rarity(best) > worthwhile) return undefined;
  return { alternatives: best, exact: knowledge.precise && best === knowledge.whole };
}

/** A candidate in more than one of so many bytes costs more than it saves. */
const worthwhile = 1 / 24;

const nothing: Knowledge = {
  whole: undefined,
  best: undefined,
  head: [[]],
  tail: [[]],
  precise: false,
};

function whole(sequences: readonly ByteSequence[], precise: boolean): Knowledge {
  return { whole: sequences, best: sequences, head: sequences, tail: sequences, precise };
}

function know(node: RegexNode): Knowledge {
  switch (node.kind) {
    case 'empty':
      return whole([[]], true);
    case 'assert':
      return whole([[]], false);
    case 'set':
      return knowSet(node.set);
    case 'concat':
      return knowConcat(node.items.map(know));
    case 'alternate':
      return knowAlternatives(node.items.map(know));
    case 'repeat':
      return knowRepeat(node);
    case 'automaton':
      return nothing;
  }
}

function knowSet(set: CodePointSet): Knowledge {
  const ranges = rangesOf(set);
  const highest = set.at(-1) ?? -1;
  // A line feed may stand for CR LF in the text: no fixed bytes.
  if (highest < 0 || includesCodePoint(set, 0x0a)) return nothing;
  if (highest < 0x80) {
    const bytes = new Uint8Array(256);
    for (const [low, high] of ranges) bytes.fill(1, low, high + 1);
    return whole([[bytes]], true);
  }
  const count = ranges.reduce((sum, [low, high]) => sum + high - low + 1, 0);
  if (count > 8) return nothing;
  const encoded = ranges.flatMap(([low, high]) =>
    Array.from({ length: high - low + 1 }, (_, index) =>
      new TextEncoder().encode(String.fromCodePoint(low + index)),
    ),
  );
  const length = encoded[0]?.length ?? 0;
  if (encoded.some((bytes) => bytes.length !== length)) return nothing;
  const sequence = Array.from({ length }, (_, index) => {
    const bytes = new Uint8Array(256);
    for (const character of encoded) bytes[character[index] ?? 0] = 1;
    return bytes;
  });
  return whole([sequence], count === 1);
}

function knowConcat(items: readonly Knowledge[]): Knowledge {
  let run: readonly ByteSequence[] = [[]];
  let best: readonly ByteSequence[] | undefined;
  let head: readonly ByteSequence[] | undefined;
  let isWhole = true;
  for (const item of items) {
    best = rarer(best, item.best);
    const joined = product(run, item.whole ?? item.head);
    if (item.whole !== undefined && joined !== undefined) {
      run = joined;
      continue;
    }
    isWhole = false;
    const ended = joined ?? run;
    head ??= ended;
    best = rarer(best, ended);
    run = joined === undefined && item.whole !== undefined ? item.whole : item.tail;
  }
  best = rarer(best, run);
  if (isWhole) {
    return {
      ...whole(
        run,
        items.every((item) => item.precise),
      ),
      best,
    };
  }
  return { whole: undefined, best, head: head ?? run, tail: run, precise: false };
}

function knowAlternatives(items: readonly Knowledge[]): Knowledge {
  const together = (of: (item: Knowledge) => readonly ByteSequence[] | undefined) => {
    const all = items.map(of);
    if (all.includes(undefined)) return undefined;
    const flat = all.flatMap((sequences) => sequences ?? []);
    return flat.length <= maxAlternatives ? flat : undefined;
  };
  const all = together((item) => item.whole);
  return {
    whole: all,
    best: together((item) => item.best),
    head: all ?? [[]],
    tail: all ?? [[]],
    precise: all !== undefined && items.every((item) => item.precise),
  };
}

function knowRepeat(node: RegexNode & { readonly kind: 'repeat' }): Knowledge {
  if (node.min === 0) return nothing;
  const item = know(node.item);
  let copies: readonly ByteSequence[] | undefined = [[]];
  let made = 0;
  while (made < node.min && item.whole !== undefined) {
    const longer: readonly ByteSequence[] | undefined = product(copies, item.whole);
    if (longer === undefined) break;
    copies = longer;
    made += 1;
  }
  if (item.whole === undefined || made === 0) {
    return { ...nothing, best: item.best, head: item.head, tail: item.tail };
  }
  if (made === node.max) return whole(copies, item.precise);
  return { whole: undefined, best: copies, head: copies, tail: copies, precise: false };
}

/** Each of the first followed by each of the second; undefined when that is too many or too long. */
function product(
  first: readonly ByteSequence[],
  second: readonly ByteSequence[],
): readonly ByteSequence[] | undefined {
  if (first.length * second.length > maxAlternatives) return undefined;
  const joined = first.flatMap((left) => second.map((right) => [...left, ...right]));
  return joined.some((sequence) => sequence.length > maxLength) ? undefined : joined;
}

function rarer(
  a: readonly ByteSequence[] | undefined,
  b: readonly ByteSequence[] | undefined,
): readonly ByteSequence[] | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return rarity(b) <= rarity(a) ? b : a;
}

/** How often, roughly, one of some sequences begins at a given byte of source text, told by its three rarest bytes. */
function rarity(sequences: readonly ByteSequence[]): number {
  return sequences.reduce((sum, sequence) => {
    const [a = 1, b = 1, c = 1] = sequence.map(frequencyOf).toSorted((x, y) => x - y);
    // A longer sequence is a little rarer than its three rarest bytes.
    return sum + a * b * c * 0.97 ** sequence.length;
  }, 0);
}

/** How often, roughly, a byte of source text is in a set. */
export function frequencyOf(set: ByteSet): number {
  let sum = 0;
  for (let byte = 0; byte < 256; byte += 1) if (set[byte] === 1) sum += frequencies[byte] ?? 0;
  return Math.min(sum, 1);
}

/** Bytes of source code by how common they are, the commonest first. */
const byFrequency =
  ' etaonirslcdupm.fh_g,y-\'"vb()=:;/k10wxE2SATC{}*I34O\nRN8L5P6D7[]9>jM<BzqUF\t+HVG|W$#`@KX&Y\\!?ZQJ%^~\r';

const frequencies = Float64Array.from({ length: 256 }, () => 0.0002);
for (let rank = 0; rank < byFrequency.length; rank += 1) {
  frequencies[byFrequency.charCodeAt(rank)] = 0.12 / (1 + rank * 0.28) ** 1.45;
}
