/** What a scanner tells about the values of a text. Positions count from the start of the pushed chunk. */
export interface JsonHandler {
  /** A value begins inside `depth` containers; `byte` is its first one. */
  valueStart(position: number, depth: number, byte: number): void;
  /** A value has ended before `position`, inside `depth` containers. */
  valueEnd(position: number, depth: number): void;
}

/** Containers nested more deeply than this are refused. */
const MAX_DEPTH = 1000;

/**
 * Checks bytes against the grammar of RFC 8259 as they come, and tells where values begin and end. Several texts one
 * after the other are one text if a line break stands between them, as in NDJSON. Bytes in strings are not checked to be
 * UTF-8.
 */
export class JsonScanner {
  /** Values inside more containers than this are not told. */
  watchedDepth = 0;
  /** Whether a line break stands inside a value. */
  hasInnerLineBreak = false;
  /** Whether a line break stands after the last text. */
  endsWithLineBreak = false;
  /** Whether the bytes so far cannot begin a text. */
  isBroken = false;
  readonly #handler: JsonHandler;
  /** Whether each open container is an array. */
  readonly #arrays: boolean[] = [];
  #expected: Expected = 'text';
  #token: Token = 'none';
  #isKey = false;
  /** What is left to read of a literal or of the digits of an escape. */
  #rest = '';

  constructor(handler: JsonHandler) {
    this.#handler = handler;
  }

  /** Whether the bytes so far are whole texts. */
  get isComplete(): boolean {
    return !this.isBroken && this.#arrays.length === 0 && this.#expected === 'next';
  }

  /** Takes the next bytes. */
  push(bytes: Uint8Array): void {
    let position = 0;
    while (position < bytes.length && !this.isBroken) {
      position = this.#read(bytes, position);
    }
  }

  /** Reads on from `position`; returns where it stopped. */
  #read(bytes: Uint8Array, position: number): number {
    const byte = bytes[position] ?? 0;
    switch (this.#token) {
      case 'none':
        return this.#readStructure(byte, position);
      case 'string':
        return this.#readString(bytes, position);
      case 'escape':
        return this.#readEscape(byte, position);
      case 'unicode':
        return this.#readHexDigit(byte, position);
      case 'literal':
        return this.#readLiteral(byte, position);
      case 'minus':
      case 'zero':
      case 'integer':
      case 'point':
      case 'fraction':
      case 'exponent':
      case 'sign':
      case 'power':
        return this.#readNumber(this.#token, byte, position);
    }
  }

  #readStructure(byte: number, position: number): number {
    if (byte === SPACE || byte === LINE_FEED || byte === TAB || byte === RETURN) {
      if (byte === LINE_FEED) {
        if (this.#arrays.length > 0) this.hasInnerLineBreak = true;
        else this.endsWithLineBreak = this.#expected === 'next';
      }
      return position + 1;
    }
    switch (this.#expected) {
      case 'text':
        return this.#beginText(byte, position);
      case 'value':
        return this.#beginValue(byte, position);
      case 'valueOrEnd':
        return byte === CLOSE_ARRAY ? this.#close(position) : this.#beginValue(byte, position);
      case 'keyOrEnd':
        return byte === CLOSE_OBJECT ? this.#close(position) : this.#beginKey(byte, position);
      case 'key':
        return this.#beginKey(byte, position);
      case 'colon':
        if (byte !== COLON) return this.#break(position);
        this.#expected = 'value';
        return position + 1;
      case 'next':
        return this.#readAfterValue(byte, position);
    }
  }

  #readAfterValue(byte: number, position: number): number {
    const isArray = this.#arrays.at(-1);
    if (isArray === undefined) {
      return this.endsWithLineBreak ? this.#beginText(byte, position) : this.#break(position);
    }
    if (byte === COMMA) {
      this.#expected = isArray ? 'value' : 'key';
      return position + 1;
    }
    return byte === (isArray ? CLOSE_ARRAY : CLOSE_OBJECT)
      ? this.#close(position)
      : this.#break(position);
  }

  #beginText(byte: number, position: number): number {
    const isContainer = byte === OPEN_ARRAY || byte === OPEN_OBJECT;
    return isContainer ? this.#beginValue(byte, position) : this.#break(position);
  }

  #beginKey(byte: number, position: number): number {
    if (byte !== QUOTE) return this.#break(position);
    this.#token = 'string';
    this.#isKey = true;
    return position + 1;
  }

  #beginValue(byte: number, position: number): number {
    const depth = this.#arrays.length;
    if (depth <= this.watchedDepth) this.#handler.valueStart(position, depth, byte);
    if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      if (depth === MAX_DEPTH) return this.#break(position);
      this.#arrays.push(byte === OPEN_ARRAY);
      this.#expected = byte === OPEN_ARRAY ? 'valueOrEnd' : 'keyOrEnd';
    } else if (byte === QUOTE) {
      this.#token = 'string';
      this.#isKey = false;
    } else if (byte === MINUS) {
      this.#token = 'minus';
    } else if (isDigit(byte)) {
      this.#token = byte === ZERO ? 'zero' : 'integer';
    } else {
      const rest = LITERALS.get(byte);
      if (rest === undefined) return this.#break(position);
      this.#token = 'literal';
      this.#rest = rest;
    }
    return position + 1;
  }

  #close(position: number): number {
    this.#arrays.pop();
    return this.#endValue(position + 1);
  }

  #endValue(end: number): number {
    this.#token = 'none';
    this.#expected = 'next';
    this.endsWithLineBreak = false;
    const depth = this.#arrays.length;
    if (depth <= this.watchedDepth) this.#handler.valueEnd(end, depth);
    return end;
  }

  #readString(bytes: Uint8Array, from: number): number {
    let position = from;
    while (position < bytes.length) {
      const byte = bytes[position] ?? 0;
      position += 1;
      if (byte === QUOTE) {
        if (!this.#isKey) return this.#endValue(position);
        this.#token = 'none';
        this.#expected = 'colon';
        return position;
      }
      if (byte === BACKSLASH) {
        this.#token = 'escape';
        return position;
      }
      if (byte < SPACE) return this.#break(position);
    }
    return position;
  }

  #readEscape(byte: number, position: number): number {
    const character = String.fromCharCode(byte);
    if (character === 'u') {
      this.#token = 'unicode';
      this.#rest = '0000';
      return position + 1;
    }
    this.#token = 'string';
    return '"\\/bfnrt'.includes(character) ? position + 1 : this.#break(position);
  }

  #readHexDigit(byte: number, position: number): number {
    if (!/[0-9a-fA-F]/.test(String.fromCharCode(byte))) return this.#break(position);
    this.#rest = this.#rest.slice(1);
    if (this.#rest === '') this.#token = 'string';
    return position + 1;
  }

  #readLiteral(byte: number, position: number): number {
    if (byte !== this.#rest.charCodeAt(0)) return this.#break(position);
    this.#rest = this.#rest.slice(1);
    return this.#rest === '' ? this.#endValue(position + 1) : position + 1;
  }

  #readNumber(token: NumberToken, byte: number, position: number): number {
    const next = nextNumberToken(token, byte);
    if (next !== undefined) {
      this.#token = next;
      return position + 1;
    }
    const isWhole =
      token === 'zero' || token === 'integer' || token === 'fraction' || token === 'power';
    return isWhole ? this.#endValue(position) : this.#break(position);
  }

  #break(position: number): number {
    this.isBroken = true;
    return position;
  }
}

type Expected = 'text' | 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'next';
type NumberToken =
  | 'minus'
  | 'zero'
  | 'integer'
  | 'point'
  | 'fraction'
  | 'exponent'
  | 'sign'
  | 'power';
type Token = 'none' | 'string' | 'escape' | 'unicode' | 'literal' | NumberToken;

/** What a number is in after one more byte; `undefined` if the byte is not part of it. */
function nextNumberToken(token: NumberToken, byte: number): NumberToken | undefined {
  const isExponent = byte === 0x65 || byte === 0x45;
  switch (token) {
    case 'minus':
      if (byte === ZERO) return 'zero';
      return isDigit(byte) ? 'integer' : undefined;
    case 'zero':
    case 'integer':
      if (token === 'integer' && isDigit(byte)) return 'integer';
      if (byte === POINT) return 'point';
      return isExponent ? 'exponent' : undefined;
    case 'point':
      return isDigit(byte) ? 'fraction' : undefined;
    case 'fraction':
      if (isDigit(byte)) return 'fraction';
      return isExponent ? 'exponent' : undefined;
    case 'exponent':
      if (byte === PLUS || byte === MINUS) return 'sign';
      return isDigit(byte) ? 'power' : undefined;
    case 'sign':
    case 'power':
      return isDigit(byte) ? 'power' : undefined;
  }
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= 0x39;
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** What follows the first byte of each literal. */
const LITERALS: ReadonlyMap<number, string> = new Map(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), word.slice(1)]),
);
