import { createSha256, measureText, sha256Hex, utf8Length } from '../digest/sha256.ts';
import { toArtifactUri } from '../artifacts/artifact-uri.ts';
import {
  TEXT_MEDIA_TYPE,
  type ArtifactRetention,
  type ArtifactStore,
} from '../artifacts/artifact-store.ts';
import type { ExpectedContent } from '../artifacts/judge-retention.ts';
import { toDigest } from '../digest/canonical-digest.ts';
import { composeSample } from './compose-sample.ts';
import { composeText } from './compose.ts';
import { foldEnds, type TextEnds } from './fold-ends.ts';
import { GrowingBytes } from './growing-bytes.ts';
import { JsonSampler, type JsonSample } from './json-sampler.ts';
import { LineFolder } from './line-folder.ts';
import { OutputWindow } from './output-window.ts';
import type { ProjectionPolicy } from './policy.ts';
import type { Projection } from './projection.ts';
import { OriginalRetainer } from './retain-original.ts';
import { sourceChunks, type OutputSource } from './source-chunks.ts';
import { hasRepeatedLines } from './repeated-line.ts';
import { decode } from './utf8-cut.ts';
import { toWellFormedText } from '../sanitise/well-formed-text.ts';

/** What a projection needs to know beside source and policy. */
export interface ProjectOptions {
  /** The tool whose output it is; becomes part of the artifact's URI. */
  readonly tool: string;
  /** Where the original of a lossy output is kept. Without a store it is not retained, and the output says so. */
  readonly artifacts?: ArtifactStore;
  /** Who holds the kept original, so that it is not evicted: the invocation's id. */
  readonly holder?: string;
  /** The media type of the kept original; default `text/plain; charset=utf-8`. */
  readonly mediaType?: string;
  /** Ends the reading of a stream; its reason is thrown. */
  readonly signal?: AbortSignal;
}

/**
 * Results no larger than this are never folded: it is the room that A3S v1 itself sets aside for markers, so folding
 * them would cost more than it saves. In bytes.
 */
const FOLD_SOFT_LIMIT_BYTES = 512;

/**
 * Bounds an output: samples a JSON array, folds repeated lines, or keeps beginning and end, in this order and only as
 * far as needed. The result has at most `max_output_bytes` bytes with all markers, is never larger than an original
 * that fits (unless that is ill-formed UTF-8, which is shown with U+FFFD), and depends on the bytes of the original and the policy only: not on
 * chunks, platform or time. Memory is bounded whatever a stream brings. Numbers in markers count bytes of the original;
 * digest and artifact are those of the original bytes. A short text that nothing is done to is answered at once. Rejects
 * with what the stream or the signal throws.
 */
export function project(
  source: OutputSource,
  policy: ProjectionPolicy,
  options: ProjectOptions,
): Projection | Promise<Projection> {
  const max = policy.max_output_bytes;
  if (typeof source === 'string' && source.length <= max) {
    const text = toWellFormedText(source);
    if (!mayFold(text.length, policy)) {
      const { bytes, sha256 } = measureText(text);
      if (bytes <= max && !mayFold(bytes, policy)) return untouched(text, bytes, sha256);
    }
    const bytes = new TextEncoder().encode(text);
    if (bytes.length > max) return projectLarge(bytes, policy, options);
    return projectFitting({ bytes, text, isRepaired: false }, policy, options);
  }
  if (source instanceof Uint8Array) {
    return source.length <= max
      ? projectFitting({ ...decode(source), bytes: source }, policy, options)
      : projectLarge(source, policy, options);
  }
  return projectStream(source, policy, options);
}

interface Fitting {
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly isRepaired: boolean;
}

/** An original within the bound: it is touched only where folding makes it smaller or its UTF-8 is ill-formed. */
async function projectFitting(
  { bytes, text, isRepaired }: Fitting,
  policy: ProjectionPolicy,
  options: ProjectOptions,
): Promise<Projection> {
  const sha256 = sha256Hex(bytes);
  const folded = foldIfSmaller(bytes, sha256, { policy, tool: options.tool });
  if (folded === undefined && !isRepaired) return untouched(text, bytes.length, sha256);
  const originalBytes = bytes.length;
  const retention = await createRetainer(options).put(bytes, { sha256, bytes: originalBytes });
  const window = folded ?? windowOf(bytes, policy);
  const composed = composeText({ window, originalBytes, policy, retention });
  // A store may have named the artifact by a longer URI than expected.
  const isSmaller = utf8Length(composed.output) < originalBytes;
  if (!isSmaller && !isRepaired) return untouched(text, originalBytes, sha256);
  return { ...composed, originalBytes, contentDigest: toDigest(sha256), retention };
}

function untouched(output: string, originalBytes: number, sha256: string): Projection {
  return {
    output,
    lossMode: 'none',
    originalBytes,
    contentDigest: toDigest(sha256),
    shownBytes: originalBytes,
  };
}

/** An original in memory that is larger than the bound. */
async function projectLarge(
  bytes: Uint8Array,
  policy: ProjectionPolicy,
  options: ProjectOptions,
): Promise<Projection> {
  options.signal?.throwIfAborted();
  const hasher = createSha256();
  hasher.update(bytes);
  const content = { sha256: hasher.digestHex(), bytes: bytes.length };
  const sampler = createSampler(policy);
  sampler?.push(bytes);
  const window = policy.fold_repeated_lines ? foldEnds(bytes, policy) : windowOf(bytes, policy);
  const retention = await createRetainer(options).put(bytes, content);
  return finish({ window, sample: sampler?.finish(), content }, policy, retention);
}

/** An original that comes bit by bit, read once, with bounded memory. */
async function projectStream(
  source: OutputSource,
  policy: ProjectionPolicy,
  options: ProjectOptions,
): Promise<Projection> {
  const max = policy.max_output_bytes;
  const hasher = createSha256();
  const sampler = createSampler(policy);
  const window = new OutputWindow(max, policy.tail_bytes);
  const folder = policy.fold_repeated_lines
    ? new LineFolder(window, policy.repeated_line_threshold)
    : undefined;
  const retainer = createRetainer(options);
  // The original as long as it could still fit.
  const beginning = new GrowingBytes();
  let length = 0;
  try {
    for await (const chunk of sourceChunks(source, options.signal)) {
      length += chunk.length;
      hasher.update(chunk);
      sampler?.push(chunk);
      if (folder === undefined) window.append(chunk);
      else folder.push(chunk);
      if (length <= max) {
        beginning.append(chunk);
      } else {
        if (beginning.length > 0) await retainer.write(beginning.view());
        beginning.clear();
        await retainer.write(chunk);
      }
    }
  } catch (error) {
    await retainer.abort();
    throw error;
  }
  if (length <= max) {
    const bytes = beginning.view();
    return projectFitting({ ...decode(bytes), bytes }, policy, options);
  }
  folder?.finish();
  const content = { sha256: hasher.digestHex(), bytes: length };
  const retention = await retainer.finish(content);
  return finish({ window, sample: sampler?.finish(), content }, policy, retention);
}

interface ScannedOriginal {
  readonly window: TextEnds;
  readonly sample: JsonSample | undefined;
  readonly content: ExpectedContent;
}

function finish(
  { window, sample, content }: ScannedOriginal,
  policy: ProjectionPolicy,
  retention: ArtifactRetention,
): Projection {
  const originalBytes = content.bytes;
  const sampled = sample === undefined ? undefined : composeSample(sample, policy, retention);
  const composed = sampled ?? composeText({ window, originalBytes, policy, retention });
  return { ...composed, originalBytes, contentDigest: toDigest(content.sha256), retention };
}

function createSampler(policy: ProjectionPolicy): JsonSampler | undefined {
  const { structured_sample_items: items, max_output_bytes: max } = policy;
  return items === 0 ? undefined : new JsonSampler(items, max);
}

function mayFold(length: number, policy: ProjectionPolicy): boolean {
  return policy.fold_repeated_lines && length > FOLD_SOFT_LIMIT_BYTES;
}

/** The text folded, if folding pays even with the line that names the original; else `undefined`. */
function foldIfSmaller(
  bytes: Uint8Array,
  sha256: string,
  { policy, tool }: { policy: ProjectionPolicy; tool: string },
): OutputWindow | undefined {
  if (!mayFold(bytes.length, policy)) return undefined;
  if (!hasRepeatedLines(bytes, policy.repeated_line_threshold)) return undefined;
  const window = new OutputWindow(policy.max_output_bytes, policy.tail_bytes);
  const folder = new LineFolder(window, policy.repeated_line_threshold);
  folder.push(bytes);
  folder.finish();
  const footerBytes = `\n\n[Full output artifact: ${toArtifactUri(tool, sha256)}]`.length;
  return window.length + footerBytes < bytes.length ? window : undefined;
}

function windowOf(bytes: Uint8Array, policy: ProjectionPolicy): OutputWindow {
  const window = new OutputWindow(policy.max_output_bytes, policy.tail_bytes);
  window.append(bytes);
  return window;
}

function createRetainer({
  artifacts,
  tool,
  holder,
  mediaType = TEXT_MEDIA_TYPE,
}: ProjectOptions): OriginalRetainer {
  const pinned = holder === undefined ? {} : { holder };
  return new OriginalRetainer(artifacts, { tool, mediaType, ...pinned });
}
