import { scannerBinary } from './scanner-binary.ts';

/** The part of the platform's WebAssembly that is used here; its types come with the DOM, which is not Node's. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

interface WasmGlobal {
  value: number;
}

/** The functions of scanner.wat; addresses and lengths in bytes. */
export interface ScannerCode {
  readonly memory: WasmMemory;
  readonly asciiTable: WasmGlobal;
  readonly pageTable: WasmGlobal;
  readonly pages: WasmGlobal;
  readonly rows: WasmGlobal;
  readonly lineSymbol: WasmGlobal;
  readonly returnSymbol: WasmGlobal;
  readonly position: WasmGlobal;
  readonly nextPosition: WasmGlobal;
  readonly symbol: WasmGlobal;
  readonly state: WasmGlobal;
  run(start: number, end: number, state: number): number;
  find(
    ...parameters: readonly [
      start: number,
      end: number,
      needle: number,
      length: number,
      offset1: number,
      offset2: number,
    ]
  ): number;
  findSets(
    ...parameters: readonly [
      start: number,
      end: number,
      tables: number,
      offset1: number,
      offset2: number,
      offset3: number,
    ]
  ): number;
  countByte(start: number, end: number, byte: number): number;
  nextByte(start: number, end: number, byte: number): number;
  afterLastByte(start: number, end: number, byte: number): number;
  markGrams(
    ...parameters: readonly [start: number, end: number, bits: number, count: number]
  ): number;
}

let compiled: object | undefined;

/** Where the fixed tables stand. */
export const layout = {
  /** 1024 bytes of needle, then 1024 of masks. */
  needle: 0,
  /** Three pairs of 16-byte tables. */
  setTables: 2048,
  /** 256 symbols of two bytes. */
  asciiTable: 4096,
  /** 4352 page numbers of two bytes. */
  pageTable: 8192,
  /** Symbols of two bytes; the rows of the automaton follow, then the text. */
  pages: 20_480,
} as const;

const wasmPage = 65_536;
/** Blocks of 16 bytes are read from every place of the text, and up to 32 bytes after it. */
const slack = 64;
const maxMemory = 1 << 30;

/**
 * The memory of one scanner: tables below, the text above. Files are read straight into it, so that scanning
 * allocates nothing. Views of it are void once it has grown: take them anew after `reserveText`.
 */
export class ScannerMemory {
  readonly code: ScannerCode;
  /** Bytes of the whole memory. */
  bytes: Uint8Array;
  #textStart = 0;

  constructor() {
    compiled ??= new WebAssembly.Module(Buffer.from(scannerBinary, 'base64'));
    const instance = new WebAssembly.Instance(compiled);
    // The module is our own, and exports exactly these.
    this.code = instance.exports as ScannerCode;
    this.bytes = Buffer.from(this.code.memory.buffer);
  }

  /** Address of the first byte of text. */
  get textStart(): number {
    return this.#textStart;
  }

  /** How many bytes of text fit without growing. */
  get textCapacity(): number {
    return this.bytes.length - this.#textStart - slack;
  }

  /** Lays out tables of these lengths (bytes); returns the address of the rows. The text begins after them. */
  layOut(pagesLength: number, rowsLength: number): number {
    const rows = align(layout.pages + pagesLength);
    this.#textStart = align(rows + rowsLength);
    this.#growTo(this.#textStart + slack);
    return rows;
  }

  /** Makes room for `length` bytes of text; what is there stays. Throws `RangeError` beyond 1 GiB. */
  reserveText(length: number): void {
    this.#growTo(this.#textStart + length + slack);
  }

  /** A view of numbers in the memory; void after the memory has grown. */
  int32View(address: number, length: number): Int32Array {
    return new Int32Array(this.code.memory.buffer, address, length);
  }

  uint16View(address: number, length: number): Uint16Array {
    return new Uint16Array(this.code.memory.buffer, address, length);
  }

  #growTo(length: number): void {
    if (length > maxMemory) throw new RangeError('The scanner memory is limited to 1 GiB.');
    const missing = length - this.bytes.length;
    if (missing <= 0) return;
    this.code.memory.grow(Math.ceil(missing / wasmPage));
    this.bytes = Buffer.from(this.code.memory.buffer);
  }
}

function align(address: number): number {
  return (address + 63) & ~63;
}

/** A memory that has grown beyond this is not kept for the next search. */
const maxKeptBytes = 64 * 1024 * 1024;
const maxKept = 4;

/**
 * Memories that are not in use: a WebAssembly memory takes much address space until the collector finds it, so each
 * serves many searches, one at a time.
 */
export class ScannerMemories {
  readonly #idle: ScannerMemory[] = [];

  take(): ScannerMemory {
    return this.#idle.pop() ?? new ScannerMemory();
  }

  giveBack(memory: ScannerMemory): void {
    if (memory.bytes.length <= maxKeptBytes && this.#idle.length < maxKept) this.#idle.push(memory);
  }
}
