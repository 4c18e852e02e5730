import { utf8Length } from '../digest/sha256.ts';
import type { ArtifactRetention } from '../artifacts/artifact-store.ts';
import type { TextEnds } from './fold-ends.ts';
import type { WindowEnd, WindowMarker } from './output-window.ts';
import type { ProjectionPolicy } from './policy.ts';
import type { LossMode } from './projection.ts';
import { TRANSFORM_ALGORITHM } from './transform-binding.ts';
import { cutHead, cutTail, decode, type TextCut } from './utf8-cut.ts';

/** A lossy output, finished. */
export interface ComposedOutput {
  readonly output: string;
  readonly lossMode: LossMode;
  readonly shownBytes: number;
}

/** What a bounded text is composed from. */
export interface Composition {
  /** The text, folded or not. */
  readonly window: TextEnds;
  readonly originalBytes: number;
  readonly policy: ProjectionPolicy;
  readonly retention: ArtifactRetention;
}

/** Composes the whole text if it fits together with the line that names the original, else its beginning and end. */
export function composeText(composition: Composition): ComposedOutput {
  return composeWhole(composition) ?? composeEnds(composition);
}

/** The line that says where the original is, or that it is nowhere; empty where it would take half of the bound. */
function footerFor(retention: ArtifactRetention, policy: ProjectionPolicy): string {
  const footer = retention.retained
    ? `\n\n[Full output artifact: ${retention.artifact.uri}]`
    : `\n\n[Full output was not retained: ${retention.reason}]`;
  return utf8Length(footer) <= policy.max_output_bytes / 2 ? footer : '';
}

function composeWhole(composition: Composition): ComposedOutput | undefined {
  const { window, policy, retention } = composition;
  if (window.length > policy.max_output_bytes) return undefined;
  const { bytes, markers } = window.front();
  const output = decode(bytes).text + footerFor(retention, policy);
  if (utf8Length(output) > policy.max_output_bytes) return undefined;
  const shownBytes = bytes.length - markerBytes(markers);
  return { output, lossMode: 'deterministic_transform', shownBytes };
}

function composeEnds({ window, originalBytes, policy, retention }: Composition): ComposedOutput {
  // The room for markers is that of the largest numbers that can stand in them.
  const widest = { shown: originalBytes, omitted: originalBytes, total: originalBytes };
  const wordings = [previewNote(widest, retention, policy), boundedNote(widest, retention, policy)];
  const noteBytes = Math.max(...wordings.map(([middle, end]) => utf8Length(middle + end)));
  const room = shareRoom(policy, policy.max_output_bytes - noteBytes);
  const head = takeHead(window.front(), room.head);
  const tail = takeTail(window.back(), room.tail);
  const isTransformed = head.isTransformed || tail.isTransformed;
  const isPreview = policy.tail_bytes === 0 && !isTransformed;
  const numbers: OmissionNumbers = {
    shown: head.coveredBytes,
    omitted: originalBytes - head.coveredBytes - tail.coveredBytes,
    total: originalBytes,
  };
  const [middle, end] = (isPreview ? previewNote : boundedNote)(numbers, retention, policy);
  const cutMode = isPreview ? 'bounded_preview' : 'head_tail';
  return {
    output: head.text + middle + tail.text + end,
    lossMode: isTransformed ? 'composite' : cutMode,
    shownBytes: head.shownBytes + tail.shownBytes,
  };
}

interface OmissionNumbers {
  readonly shown: number;
  readonly omitted: number;
  readonly total: number;
}

type Note = readonly [middle: string, end: string];

function previewNote(
  numbers: OmissionNumbers,
  retention: ArtifactRetention,
  policy: ProjectionPolicy,
): Note {
  const fate = retention.retained
    ? 'Full output is retained as an immutable artifact.'
    : `Full output was not retained: ${retention.reason}.`;
  const { shown, total } = numbers;
  return [
    `\n\n[tool output truncated: showing the first ${shown} of ${total} bytes. ${fate}]`,
    retention.retained ? footerFor(retention, policy) : '',
  ];
}

function boundedNote(
  numbers: OmissionNumbers,
  retention: ArtifactRetention,
  policy: ProjectionPolicy,
): Note {
  const { omitted } = numbers;
  return [
    `\n\n[tool output bounded by ${TRANSFORM_ALGORITHM}: omitted ${omitted} bytes between retained head/tail regions]\n\n`,
    footerFor(retention, policy),
  ];
}

/** Gives head and tail what the policy says, or their share of the room where markers leave less. */
function shareRoom(policy: ProjectionPolicy, room: number): { head: number; tail: number } {
  const { head_bytes: head, tail_bytes: tail } = policy;
  if (head + tail <= room) return { head, tail };
  const sharedHead = Math.floor((room * head) / (head + tail));
  return { head: sharedHead, tail: tail === 0 ? 0 : room - sharedHead };
}

interface Taken {
  readonly text: string;
  /** Bytes of the original that stand in the text. */
  readonly shownBytes: number;
  /** Bytes of the original that the text stands for, folded ones included. */
  readonly coveredBytes: number;
  readonly isTransformed: boolean;
}

/** Takes the beginning; a marker that does not fit whole is left out. */
function takeHead({ bytes, markers }: WindowEnd, maxBytes: number): Taken {
  const cut = cutHead(bytes, maxBytes);
  const split = markers.find(({ start, end }) => start < cut.bytes && cut.bytes < end);
  const whole = split === undefined ? cut : cutHead(bytes.subarray(0, split.start), maxBytes);
  return toTaken(
    whole,
    markers.filter(({ end }) => end <= whole.bytes),
  );
}

/** Takes the end; a marker that does not fit whole, or without the line that it tells about, is left out. */
function takeTail({ bytes, markers }: WindowEnd, maxBytes: number): Taken {
  const cut = cutTail(bytes, maxBytes);
  const from = bytes.length - cut.bytes;
  const split = markers.find(({ lineStart, end }) => lineStart < from && from < end);
  const whole = split === undefined ? cut : cutTail(bytes.subarray(split.end), maxBytes);
  return toTaken(
    whole,
    markers.filter(({ start }) => start >= bytes.length - whole.bytes),
  );
}

function toTaken(cut: TextCut, markers: readonly WindowMarker[]): Taken {
  const shownBytes = cut.bytes - markerBytes(markers);
  const replacedBytes = markers.reduce((sum, marker) => sum + marker.replacedBytes, 0);
  return {
    text: cut.text,
    shownBytes,
    coveredBytes: shownBytes + replacedBytes,
    isTransformed: markers.length > 0 || cut.isRepaired,
  };
}

function markerBytes(markers: readonly WindowMarker[]): number {
  return markers.reduce((sum, { start, end }) => sum + end - start, 0);
}
