import type {
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
} from '@modelcontextprotocol/server';
import { isArtifactUri, ToolError, type Session } from '@toolwright/core';

/** Bytes of an artifact in one answer, when nothing else is said and at most. */
export const maxArtifactBytes = 1024 * 1024;

/** How an artifact is read in parts. */
export const artifactTemplate: ResourceTemplateType = {
  name: 'output',
  title: 'A kept output, or a range of it',
  uriTemplate: 'a3s://tool-output/{tool}/{sha256}{?offset,length}',
  description:
    'The whole of an output that a result shows only a part of. offset and length count bytes; the answer tells next_offset in its _meta.',
};

/** The session's artifacts as resources. */
export async function listArtifacts(session: Session): Promise<readonly Resource[]> {
  const artifacts = await session.artifacts.list();
  return artifacts.map(({ uri, tool, bytes, mediaType }) => ({
    uri,
    name: `${tool} output`,
    mimeType: mediaType,
    size: bytes,
  }));
}

/**
 * Reads an artifact, or the range of it that the query of its URI names. Resolves to undefined for what is no artifact
 * of this session. A text never begins or ends within a character.
 */
export async function readArtifact(
  session: Session,
  uri: string,
): Promise<ReadResourceResult | undefined> {
  const [base = '', query = ''] = uri.split('?', 2);
  if (!isArtifactUri(base)) return undefined;
  const range = toRange(query);
  if (range === undefined) return undefined;
  try {
    const { bytes: total, mediaType } = await session.artifacts.stat(base);
    const bytes = await session.artifacts.read(base, {
      start: Math.min(range.offset, total),
      length: range.length,
    });
    const isText = /^text\/|[/+](json|xml)\b/.test(mediaType);
    const { start, end } = isText
      ? wholeCharacters(bytes, range.offset + bytes.length >= total)
      : { start: 0, end: bytes.length };
    const shown = Buffer.from(bytes.subarray(start, end));
    const next = range.offset + end;
    return {
      contents: [
        {
          uri,
          mimeType: mediaType,
          ...(isText ? { text: shown.toString('utf8') } : { blob: shown.toString('base64') }),
          _meta: {
            'toolwright/range': {
              offset: range.offset + start,
              returned_bytes: shown.length,
              total_bytes: total,
              next_offset: next < total ? next : null,
            },
          },
        },
      ],
    };
  } catch (error) {
    if (ToolError.isInstance(error) && error.type === 'not_found') return undefined;
    throw error;
  }
}

function toRange(query: string): { readonly offset: number; readonly length: number } | undefined {
  const parameters = new URLSearchParams(query);
  const offset = toCount(parameters.get('offset') ?? '0');
  const length = toCount(parameters.get('length') ?? String(maxArtifactBytes));
  if (offset === undefined || length === undefined) return undefined;
  // Room for one character: a range always moves on.
  return { offset, length: Math.min(Math.max(length, 4), maxArtifactBytes) };
}

function toCount(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** The part of a range of UTF-8 that is whole characters. */
function wholeCharacters(
  bytes: Uint8Array,
  isLast: boolean,
): { readonly start: number; readonly end: number } {
  let start = 0;
  while (start < Math.min(3, bytes.length) && isContinuation(bytes[start])) start += 1;
  if (isLast) return { start, end: bytes.length };
  let lead = bytes.length - 1;
  while (lead > Math.max(start, bytes.length - 4) && isContinuation(bytes[lead])) lead -= 1;
  const first = bytes[lead] ?? 0;
  const wants = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return { start, end: lead >= start && lead + wants > bytes.length ? lead : bytes.length };
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
