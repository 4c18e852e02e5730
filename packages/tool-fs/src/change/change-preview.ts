import type { ArtifactAccess, JsonObject } from '@toolwright/core';
import type { TextSplice } from '@toolwright/documents';
import { spliceDiff, unifiedDiff } from './unified-diff.ts';

/** Bytes of a diff that a result shows. */
export const PREVIEW_BYTES = 8_192;
/** Bytes of a text, before or after, up to which a diff is made at all. */
const MAX_DIFFED_BYTES = 4_194_304;

/** What a result says of a change. */
export interface ChangePreview {
  /** `metadata.change`: `{ diff, added_lines, removed_lines, truncated, artifact_uri? }`. */
  readonly facts: JsonObject;
  /** The diff as it is shown, with a line on what was left out. */
  readonly text: string;
}

/**
 * A bounded unified diff of a change. What does not fit is kept whole as an artifact, named in `artifact_uri`; of a
 * text over 4 MiB that is replaced as a whole there is no diff (`diff: null`).
 */
export async function previewChange(
  artifacts: ArtifactAccess,
  change: { readonly before: string } & (
    | { readonly after: string }
    | { readonly splices: readonly TextSplice[] }
  ),
): Promise<ChangePreview> {
  const { before } = change;
  if ('after' in change && Math.max(before.length, change.after.length) > MAX_DIFFED_BYTES) {
    return {
      facts: { diff: null, truncated: true, reason: 'too_large' },
      text: '[the file is too large for a diff]\n',
    };
  }
  const difference =
    'after' in change ? unifiedDiff(before, change.after) : spliceDiff(before, change.splices);
  const { diff, addedLines, removedLines } = difference;
  const counts = { added_lines: addedLines, removed_lines: removedLines };
  const bytes = Buffer.from(diff, 'utf8');
  if (bytes.length <= PREVIEW_BYTES) {
    return { facts: { diff, ...counts, truncated: false }, text: diff };
  }
  const shown = wholeLines(bytes.subarray(0, PREVIEW_BYTES));
  const uri = await keepDiff(artifacts, bytes);
  const rest = `[${bytes.length - Buffer.byteLength(shown)} more bytes of the diff${uri === null ? ' were not kept' : `: read ${uri}`}]\n`;
  return {
    facts: { diff: shown, ...counts, truncated: true, artifact_uri: uri },
    text: shown + rest,
  };
}

/** The URI of the kept diff. A store that breaks does not fail the call: the file has been changed already. */
async function keepDiff(artifacts: ArtifactAccess, bytes: Uint8Array): Promise<string | null> {
  try {
    const writer = await artifacts.writer({ mediaType: 'text/x-diff; charset=utf-8' });
    try {
      await writer.write(bytes);
      const kept = await writer.finish();
      return kept.retained ? kept.artifact.uri : null;
    } finally {
      await writer.abort();
    }
  } catch {
    return null;
  }
}

/** Text up to the last line that fits, or up to the last whole character of a single huge line. */
function wholeLines(bytes: Buffer): string {
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end > 0) return bytes.toString('utf8', 0, end);
  return `${bytes.toString('utf8').replace(/\ufffd+$/u, '')}\n`;
}
