import {
  isJsonObject,
  type ContentBlock,
  type JsonObject,
  type JsonValue,
  type ToolOutput,
  type Validator,
} from '@toolwright/core';

/** The part of a listed tool that its results are read by. */
export interface ResultReader {
  readonly server: string;
  readonly tool: string;
  /** Checks structured content; absent where the tool promises none, or an unusable schema. */
  readonly outputValidator: Validator | undefined;
}

/** Characters of the JSON of `_meta` that callers are shown. */
const MAX_META_CHARS = 8_192;
/** Characters of the JSON of all blocks for the user alone that are kept; metadata has room for little more. */
const MAX_FOR_USER_CHARS = 32_768;

/**
 * A `tools/call` result as ours. Text is kept whole; pictures, sounds and files become content blocks beside a line
 * that names them, never base64 in the text; what has an unknown type is told with its JSON. Structured content is for
 * hosts; the model gets it as JSON only when there is nothing else. `isError` is a completed call of exit code 1.
 */
export function toOutput(result: unknown, reader: ResultReader): ToolOutput {
  const answer = isRecord(result) ? result : {};
  const warnings: string[] = [];
  const lines: string[] = [];
  const content: ContentBlock[] = [];
  const forUser: JsonObject[] = [];
  let forUserChars = 0;
  let forUserOmitted = 0;
  const blocks = answer['content'];
  if (blocks !== undefined && !Array.isArray(blocks)) warnings.push('content is no list');
  for (const block of Array.isArray(blocks) ? blocks : []) {
    if (isForUserAlone(block)) {
      forUserChars += JSON.stringify(block).length;
      if (forUserChars <= MAX_FOR_USER_CHARS) forUser.push(block);
      else forUserOmitted += 1;
      continue;
    }
    const read = readBlock(block);
    if (read.text !== '') lines.push(read.text);
    if (read.block !== undefined) content.push(read.block);
  }
  const structured = answer['structuredContent'];
  const isError = answer['isError'] === true;
  warnings.push(...structuredWarnings(structured, isError, reader.outputValidator));
  if (lines.length === 0 && structured !== undefined) lines.push(JSON.stringify(structured));
  const meta = answer['_meta'];
  return {
    output: lines.length === 0 ? '[the tool answered without content]' : lines.join('\n'),
    ...(structured === undefined ? {} : { structured }),
    ...(content.length === 0 ? {} : { content }),
    metadata: {
      mcp: {
        server: reader.server,
        tool: reader.tool,
        ...(isError ? { is_error: true } : {}),
        ...(warnings.length === 0 ? {} : { warnings }),
        ...(forUser.length === 0 ? {} : { for_user: forUser }),
        ...(forUserOmitted === 0 ? {} : { for_user_omitted: forUserOmitted }),
        ...(isJsonObject(meta) && JSON.stringify(meta).length <= MAX_META_CHARS ? { meta } : {}),
      },
    },
    trust: 'external',
    exitCode: isError ? 1 : 0,
  };
}

function structuredWarnings(
  structured: unknown,
  isError: boolean,
  validator: Validator | undefined,
): readonly string[] {
  if (validator === undefined || isError) return [];
  if (structured === undefined) {
    return ['the tool promises structured content and gave none'];
  }
  // Parsed from JSON.
  const checked = validator.check(structured as JsonValue);
  return checked.valid ? [] : [`structured content breaks the output schema: ${checked.message}`];
}

/** One content block, read: a line or text for the model, and the block for those that take it. */
export interface ReadBlock {
  readonly text: string;
  readonly block?: ContentBlock;
}

/** Reads one content block; every type of the protocol, and a placeholder for the rest. */
export function readBlock(value: unknown): ReadBlock {
  if (!isRecord(value)) return { text: `[unsupported content] ${JSON.stringify(value)}` };
  switch (value['type']) {
    case 'text':
      return typeof value['text'] === 'string' ? { text: value['text'] } : unsupported(value);
    case 'image':
    case 'audio':
      return readMedia(value['type'], value);
    case 'resource':
      return readResource(value['resource']) ?? unsupported(value);
    case 'resource_link':
      return readLink(value);
    default:
      return unsupported(value);
  }
}

function readMedia(type: 'image' | 'audio', value: JsonObject): ReadBlock {
  const { data, mimeType } = value;
  if (typeof data !== 'string') return unsupported(value);
  const mime = toMime(mimeType) ?? 'application/octet-stream';
  const read = readBase64(data);
  if (read === undefined) return { text: `[${type} ${mime}: its data is no base64]` };
  return {
    text: `[${type} ${mime}, ${read.bytes} bytes]`,
    block: { type, data: read.base64, mimeType: mime },
  };
}

/** An embedded resource, or the contents of one that was read; undefined for what is none. */
export function readResource(value: JsonValue | undefined): ReadBlock | undefined {
  if (!isRecord(value)) return undefined;
  const { uri, mimeType, text, blob } = value;
  if (typeof uri !== 'string') return undefined;
  const known = toMime(mimeType);
  const mime = known === undefined ? {} : { mimeType: known };
  if (typeof text === 'string') {
    return {
      text: `[resource ${uri}]\n${text}`,
      block: { type: 'resource', resource: { uri, ...mime, text } },
    };
  }
  if (typeof blob !== 'string') return undefined;
  const kind = known ?? 'application/octet-stream';
  const read = readBase64(blob);
  if (read === undefined) return { text: `[resource ${uri}: its data is no base64]` };
  return {
    text: `[resource ${uri}, ${kind}, ${read.bytes} bytes]`,
    block: { type: 'resource', resource: { uri, ...mime, blob: read.base64 } },
  };
}

function readLink(value: JsonObject): ReadBlock {
  const { uri, name, description, mimeType, size } = value;
  if (typeof uri !== 'string') return unsupported(value);
  const label = typeof name === 'string' ? name : uri;
  const mime = toMime(mimeType);
  const facts = [
    ...(mime === undefined ? [] : [mime]),
    ...(typeof size === 'number' ? [`${size} bytes`] : []),
  ];
  return {
    text: `[resource link ${label}: ${[uri, ...facts].join(', ')}]`,
    block: {
      type: 'resource_link',
      uri,
      name: label,
      ...(typeof description === 'string' ? { description } : {}),
      ...(mime === undefined ? {} : { mimeType: mime }),
    },
  };
}

/** A media type that is one (RFC 9110, section 8.3.1): providers of models refuse a request for any other. */
function toMime(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 200) return undefined;
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[ -~]*)?$/.test(value) ? value : undefined;
}

function unsupported(value: JsonObject): ReadBlock {
  const type = typeof value['type'] === 'string' ? value['type'].slice(0, 64) : 'of no type';
  return { text: `[unsupported content: ${type}] ${JSON.stringify(value)}` };
}

function isForUserAlone(block: unknown): block is JsonObject {
  if (!isRecord(block) || !isRecord(block['annotations'])) return false;
  const { audience } = block['annotations'];
  return Array.isArray(audience) && audience.length === 1 && audience[0] === 'user';
}

/** Base64 as it is written nearly everywhere, and the bytes that it stands for; undefined for other text. */
function readBase64(data: string): { readonly base64: string; readonly bytes: number } | undefined {
  // Broken into lines, in the alphabet of URLs, without padding: all are read one way only.
  const plain = data
    .replaceAll(/[\r\n\t ]+/g, '')
    .replace(/={1,2}$/, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  if (plain.length % 4 === 1 || !/^[A-Za-z0-9+/]*$/.test(plain)) return undefined;
  return {
    base64: plain.padEnd(Math.ceil(plain.length / 4) * 4, '='),
    bytes: Math.floor((plain.length * 3) / 4),
  };
}

function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
