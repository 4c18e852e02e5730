import { createInterface } from 'node:readline';
import { isJsonObject, type JsonObject, type JsonValue, type Session } from '@toolwright/core';
import { openSession } from '../open-session.ts';
import type { Options } from '../options.ts';
import { writeLine, type Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { printEvents } from './events.ts';
import { toWire } from './wire-result.ts';

/** Characters of one line, at most. */
const maxLineLength = 64 * 1024 * 1024;

/**
 * `toolwright call --jsonl`: calls start as their lines arrive and may finish in any order; `{"cancel": ID}` cancels
 * one. Ends when input has ended and every call has.
 */
export async function callJsonl(options: Options, terminal: Terminal): Promise<number> {
  if (options.positionals.length > 0) {
    throw new UsageError('call --jsonl takes no tool: each line of standard input names its own.');
  }
  const session = await openSession(options, terminal);
  const events = printEvents(session, options, terminal);
  const calls = new JsonlCalls(session, options, terminal);
  const lines = createInterface({ input: terminal.stdin, crlfDelay: Infinity });
  const onInterrupt = (): void => calls.cancelAll();
  // Nobody reads the answers any more: what runs is given up, and nothing else begins.
  let isGone = false;
  const onGone = (): void => {
    isGone = true;
    lines.close();
    calls.cancelAll();
  };
  terminal.stdout.once('error', onGone);
  process.once('SIGINT', onInterrupt);
  process.once('SIGTERM', onInterrupt);
  try {
    const ready = session.ready();
    for await (const line of lines) {
      if (isGone) break;
      if (line.trim() !== '') calls.take(line, ready);
    }
    await calls.finished();
    return 0;
  } finally {
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onInterrupt);
    terminal.stdout.off('error', onGone);
    await session.close();
    await events;
  }
}

class JsonlCalls {
  readonly #session: Session;
  readonly #options: Options;
  readonly #terminal: Terminal;
  readonly #running = new Set<Promise<void>>();
  readonly #controllers = new Map<string, AbortController>();
  /** The kernel's ids of running calls, which are texts, with the keys of the lines that they belong to. */
  readonly #kernelIds = new Map<string, string>();
  #unnamed = 0;

  constructor(session: Session, options: Options, terminal: Terminal) {
    this.#session = session;
    this.#options = options;
    this.#terminal = terminal;
  }

  take(line: string, ready: Promise<void>): void {
    const request = toRequest(line);
    if (request.kind === 'cancel') {
      this.#controllers.get(toKey(request.id))?.abort();
      return;
    }
    const work = request.kind === 'bad' ? this.#answerBad(request) : this.#call(request, ready);
    this.#running.add(work);
    const forget = (): void => void this.#running.delete(work);
    work.then(forget, forget);
  }

  async finished(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  cancelAll(): void {
    for (const controller of this.#controllers.values()) controller.abort();
  }

  async #call(request: CallLine, ready: Promise<void>): Promise<void> {
    this.#unnamed += 1;
    const given = request.id ?? `line-${this.#unnamed}`;
    const key = toKey(given);
    const id = this.#kernelId(given, key);
    const controller = new AbortController();
    const isFirst = !this.#controllers.has(key);
    if (isFirst) {
      this.#controllers.set(key, controller);
      this.#kernelIds.set(id, key);
    }
    try {
      await ready;
      const { name, args } = request;
      const how = {
        signal: controller.signal,
        ...(this.#options.timeoutMs === undefined ? {} : { timeoutMs: this.#options.timeoutMs }),
      };
      const result =
        this.#options.as === 'agent'
          ? await this.#session.invoke({ id, name, arguments: args }, how)
          : await this.#session.tool(name, args, { ...how, id });
      await writeLine(this.#terminal.stdout, JSON.stringify(toWire(result, given)));
    } finally {
      if (isFirst) {
        this.#controllers.delete(key);
        this.#kernelIds.delete(id);
      }
    }
  }

  /** The id itself; with underscores behind it while an id of another type that reads the same is at work. */
  #kernelId(given: JsonValue, key: string): string {
    let id = typeof given === 'string' ? given : JSON.stringify(given);
    while ((this.#kernelIds.get(id) ?? key) !== key) id += '_';
    return id;
  }

  async #answerBad({ message }: BadLine): Promise<void> {
    const error = {
      type: 'invalid_argument',
      reason: 'bad_line',
      stage: 'resolve',
      message,
      retryable: false,
    };
    const answer = {
      id: null,
      name: '',
      output: `invalid_argument: ${message}`,
      exit_code: 1,
      metadata: {},
      error,
    };
    await writeLine(this.#terminal.stdout, JSON.stringify(answer));
  }
}

interface CallLine {
  readonly kind: 'call';
  readonly id: JsonValue | undefined;
  readonly name: string;
  readonly args: JsonObject;
}

interface BadLine {
  readonly kind: 'bad';
  readonly message: string;
}

type Line = CallLine | BadLine | { readonly kind: 'cancel'; readonly id: JsonValue };

function toRequest(line: string): Line {
  if (line.length > maxLineLength)
    return bad(`The line is longer than ${maxLineLength} characters.`);
  let value: JsonValue;
  try {
    // JSON.parse gives JSON values.
    value = JSON.parse(line) as JsonValue;
  } catch (error) {
    return bad(`The line is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isJsonObject(value)) return bad('The line is no JSON object with a "name".');
  const { id, name, arguments: args = {}, cancel } = value;
  if (!isId(id) || !isId(cancel)) return bad('An id is a text or a number.');
  if (cancel !== undefined && name === undefined) return { kind: 'cancel', id: cancel };
  if (typeof name !== 'string' || name === '') {
    return bad('The line has no "name" of a tool (a call) and no "cancel" (an id).');
  }
  if (typeof args === 'string') return readText({ id, name, text: args });
  if (!isJsonObject(args)) return bad('"arguments" must be an object.');
  return { kind: 'call', id, name, args };
}

/** Arguments that arrive as their JSON text, as some models send them. */
function readText(call: {
  readonly id: JsonValue | undefined;
  readonly name: string;
  readonly text: string;
}): Line {
  const { id, name, text } = call;
  try {
    // JSON.parse gives JSON values.
    const args = JSON.parse(text) as JsonValue;
    if (isJsonObject(args)) return { kind: 'call', id, name, args };
  } catch {
    // Said below.
  }
  return bad('"arguments" must be an object, or its JSON text.');
}

function bad(message: string): BadLine {
  return { kind: 'bad', message };
}

/** Lists and objects cannot be compared, and one that is nested without end cannot even be written. */
function isId(value: JsonValue | undefined): value is Exclude<JsonValue, object> | undefined {
  return typeof value !== 'object' || value === null;
}

/** Ids told apart by their type too: 1 and "1" are two. */
function toKey(id: JsonValue): string {
  return JSON.stringify(id);
}
