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

/** Bytes of `_meta` that callers are shown. */
const MAX_META_CHARS = 8_192;

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
  const blocks = answer['content'];
  if (blocks !== undefined && !Array.isArray(blocks)) warnings.push('content is no list');
  for (const block of Array.isArray(blocks) ? blocks : []) {
    if (isForUserAlone(block)) {
      forUser.push(block);
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
  const mime = typeof mimeType === 'string' ? mimeType : 'application/octet-stream';
  const bytes = base64Bytes(data);
  if (bytes === undefined) return { text: `[${type} ${mime}: its data is no base64]` };
  return {
    text: `[${type} ${mime}, ${bytes} bytes]`,
    block: { type, data, mimeType: mime },
  };
}

/** An embedded resource, or the contents of one that was read; undefined for what is none. */
export function readResource(value: JsonValue | undefined): ReadBlock | undefined {
  if (!isRecord(value)) return undefined;
  const { uri, mimeType, text, blob } = value;
  if (typeof uri !== 'string') return undefined;
  const mime = typeof mimeType === 'string' ? { mimeType } : {};
  if (typeof text === 'string') {
    return {
      text: `[resource ${uri}]\n${text}`,
      block: { type: 'resource', resource: { uri, ...mime, text } },
    };
  }
  if (typeof blob !== 'string') return undefined;
  const kind = mime.mimeType ?? 'application/octet-stream';
  const bytes = base64Bytes(blob);
  if (bytes === undefined) return { text: `[resource ${uri}: its data is no base64]` };
  return {
    text: `[resource ${uri}, ${kind}, ${bytes} bytes]`,
    block: { type: 'resource', resource: { uri, ...mime, blob } },
  };
}

function readLink(value: JsonObject): ReadBlock {
  const { uri, name, description, mimeType, size } = value;
  if (typeof uri !== 'string') return unsupported(value);
  const label = typeof name === 'string' ? name : uri;
  const facts = [
    ...(typeof mimeType === 'string' ? [mimeType] : []),
    ...(typeof size === 'number' ? [`${size} bytes`] : []),
  ];
  return {
    text: `[resource link ${label}: ${[uri, ...facts].join(', ')}]`,
    block: {
      type: 'resource_link',
      uri,
      name: label,
      ...(typeof description === 'string' ? { description } : {}),
      ...(typeof mimeType === 'string' ? { mimeType } : {}),
    },
  };
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

/** The bytes that base64 text stands for; undefined for other text. */
function base64Bytes(data: string): number | undefined {
  if (data.length % 4 === 1 || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(data)) return undefined;
  return Math.floor((data.replace(/=+$/, '').length * 3) / 4);
}

function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
