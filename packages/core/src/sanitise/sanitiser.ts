import { concatenateBytes } from '../artifacts/concatenate-bytes.ts';
import { utf8Chunks } from '../digest/utf8-chunks.ts';
import { hideInError } from './hide-in-error.ts';
import { hideInJson } from './hide-in-json.ts';
import { HidingStream } from './hiding-stream.ts';
import { PatternAutomaton } from './pattern-automaton.ts';
import { MIN_SECRET_LENGTH, secretSpellings } from './secret-spellings.ts';
import { toWellFormedText } from './well-formed-text.ts';

/** Sanitises parts as they come; what may be the beginning of a secret is held back until the next part. */
export interface SanitiserStream<Part> {
  /** Takes the next part and returns what may come out by now, perhaps nothing. */
  push(part: Part): Part;
  /** Ends the stream and returns what was held back. */
  end(): Part;
}

/**
 * Hides registered secrets, in every common spelling, as `[REDACTED]`. Text comes out well-formed: a lone surrogate
 * becomes U+FFFD. Nothing else is changed. Time is proportional to what is read, however many secrets there are.
 */
export interface Sanitiser {
  /** Whether any secret is registered; if not, values pass as they are. */
  readonly active: boolean;
  text(text: string): string;
  /** Bytes are taken as UTF-8; ill-formed ones are left alone. */
  bytes(bytes: Uint8Array): Uint8Array;
  /** All strings of a JSON value, keys included; the value itself where there is nothing to hide. */
  json<T>(value: T): T;
  /** What an error says, its causes included; the error itself where there is nothing to hide. */
  error(thrown: unknown): unknown;
  /** An output of a tool in its own form: text, bytes, or bytes as they come. */
  output<T extends string | Uint8Array | AsyncIterable<Uint8Array>>(output: T): T;
  /** For text that comes in pieces: no secret and no surrogate pair is ever let out in parts. */
  textStream(): SanitiserStream<string>;
  byteStream(): SanitiserStream<Uint8Array>;
}

/**
 * Creates a sanitiser for the values of secrets that the host names. Equal secrets count once. It finds a secret as it
 * is, in JSON, percent-encoded, and in base64; not in hex, HTML entities, UTF-16 or broken base64 lines, not compressed or
 * encrypted, and not in two results that each have a part of it.
 * Throws a `TypeError` for a secret shorter than six characters without surrounding blanks: it would hide ordinary text.
 */
export function createSanitiser(secrets: readonly string[]): Sanitiser {
  const spellings = new Set<string>();
  secrets.forEach((secret, index) => {
    if (typeof secret !== 'string' || secret.trim().length < MIN_SECRET_LENGTH) {
      throw new TypeError(
        `secrets[${index}] must be a text of at least ${MIN_SECRET_LENGTH} characters without surrounding blanks`,
      );
    }
    for (const spelling of secretSpellings(toWellFormedText(secret))) spellings.add(spelling);
  });
  return spellings.size === 0 ? passingSanitiser : hidingSanitiser(Array.from(spellings));
}

const passingSanitiser: Sanitiser = {
  active: false,
  text: toWellFormedText,
  bytes: (bytes) => bytes,
  json: (value) => value,
  error: (thrown) => thrown,
  output: (output) => output,
  textStream: () => new WellFormedStream({ push: (text) => text, end: () => '' }),
  byteStream: () => ({ push: (bytes) => bytes, end: () => new Uint8Array() }),
};

function hidingSanitiser(spellings: readonly string[]): Sanitiser {
  const patterns = spellings.map((spelling) => encode(spelling));
  const automaton = new PatternAutomaton(patterns);
  const byteStream = () => new HidingStream(automaton);
  const text = (value: string) => hideInText(toWellFormedText(value), automaton);
  const bytes = (value: Uint8Array) => hideInBytes(value, byteStream()) ?? value;
  return {
    active: true,
    text,
    bytes,
    // What is hidden becomes text; nothing else changes its shape.
    json: <T>(value: T) => hideInJson(value, text) as T,
    error: (thrown) => hideInError(thrown, text),
    output: <T extends string | Uint8Array | AsyncIterable<Uint8Array>>(output: T) =>
      // Each form gives the same form.
      sanitiseOutput(output, { text, bytes, byteStream }) as T,
    textStream: () => new WellFormedStream(hidingTextStream(byteStream())),
    byteStream,
  };
}

function sanitiseOutput(
  output: string | Uint8Array | AsyncIterable<Uint8Array>,
  { text, bytes, byteStream }: Pick<Sanitiser, 'text' | 'bytes' | 'byteStream'>,
): string | Uint8Array | AsyncIterable<Uint8Array> {
  if (typeof output === 'string') return text(output);
  if (output instanceof Uint8Array) return bytes(output);
  return sanitiseChunks(output, byteStream());
}

async function* sanitiseChunks(
  chunks: AsyncIterable<Uint8Array>,
  stream: SanitiserStream<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) {
    const clean = stream.push(chunk);
    if (clean.length > 0) yield clean;
  }
  const rest = stream.end();
  if (rest.length > 0) yield rest;
}

function hideInText(text: string, automaton: PatternAutomaton): string {
  if (text.length < MIN_SECRET_LENGTH) return text;
  if (text.length > UNITS_AT_ONCE) return hideInLargeText(text, new HidingStream(automaton));
  const bytes = encode(text);
  // Most texts hold no secret: they are only looked at.
  if (!automaton.isIn(bytes)) return text;
  const hidden = hideInBytes(bytes, new HidingStream(automaton));
  return hidden === undefined ? text : decode(hidden);
}

/** A larger text is read in chunks, so that it never exists twice. */
const UNITS_AT_ONCE = 65_536;

function hideInLargeText(text: string, stream: HidingStream): string {
  const parts: string[] = [];
  for (const chunk of utf8Chunks(text)) parts.push(decode(stream.push(chunk)));
  parts.push(decode(stream.end()));
  return stream.hasHidden ? parts.join('') : text;
}

/** The bytes without secrets; `undefined` where there are none. */
function hideInBytes(bytes: Uint8Array, stream: HidingStream): Uint8Array | undefined {
  const parts = [stream.push(bytes), stream.end()];
  return stream.hasHidden ? concatenateBytes(parts) : undefined;
}

/**
 * A pattern begins with a character, so what is held back does too: parts of whole characters come out in whole
 * characters.
 */
function hidingTextStream(stream: HidingStream): SanitiserStream<string> {
  return { push: (part) => decode(stream.push(encode(part))), end: () => decode(stream.end()) };
}

/** Puts surrogate pairs together that stand in two parts, and replaces lone ones. */
class WellFormedStream implements SanitiserStream<string> {
  readonly #inner: SanitiserStream<string>;
  #highSurrogate = '';

  constructor(inner: SanitiserStream<string>) {
    this.#inner = inner;
  }

  push(part: string): string {
    const text = this.#highSurrogate + part;
    const lastUnit = text.charCodeAt(text.length - 1);
    const isOpen = lastUnit >= 0xd800 && lastUnit <= 0xdbff;
    this.#highSurrogate = isOpen ? text.slice(-1) : '';
    return this.#inner.push(toWellFormedText(isOpen ? text.slice(0, -1) : text));
  }

  end(): string {
    const last = toWellFormedText(this.#highSurrogate);
    this.#highSurrogate = '';
    return this.#inner.push(last) + this.#inner.end();
  }
}

const encoder = new TextEncoder();

function encode(text: string): Uint8Array {
  return encoder.encode(text);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
