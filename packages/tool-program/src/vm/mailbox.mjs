import { laneHeaderInts, TextLane } from './text-lane.mjs';

/**
 * The way of calls out of a worker and of answers into it: they lie in shared memory, where the worker, whose script waits,
 * sleeps without its event loop. The host is told to look, by a message, once for all that lies there.
 *
 * Layout: two 32-bit integers (a count that wakes the worker, whether the host has been told), the headers of two lanes,
 * their text.
 */

/** @import { VmAnswer } from './messages.ts' */

const wakeIndex = 0;
const toldIndex = 1;
const answersHeader = 2;
const callsHeader = answersHeader + laneHeaderInts;
const headerBytes = 4 * (callsHeader + laneHeaderInts);
/** UTF-8 bytes of answers that fit, and as many of calls. */
const capacityBytes = 262_144;

/** @returns {SharedArrayBuffer} */
export function createMailbox() {
  return new SharedArrayBuffer(headerBytes + 2 * capacityBytes);
}

/** The host's side. */
export class HostMailbox {
  #header;
  #answers;
  #calls;

  /** @param {SharedArrayBuffer} mailbox */
  constructor(mailbox) {
    this.#header = new Int32Array(mailbox, 0, answersHeader);
    this.#answers = answersOf(mailbox);
    this.#calls = callsOf(mailbox);
  }

  /**
   * Leaves answers for the worker. False when they have to go as a message.
   * @param {readonly VmAnswer[]} answers
   */
  putAnswers(answers) {
    let text = '';
    for (const { id, json, nowMs } of answers) text += `${id} ${nowMs} ${json.length}\n${json}`;
    if (!this.#answers.append(text)) return false;
    this.#wake();
    return true;
  }

  /** The lists of calls that the worker has left, in their order. */
  takeCalls() {
    // First: what is left from here on is told of anew.
    Atomics.store(this.#header, toldIndex, 0);
    const text = this.#calls.take();
    return text === '' ? [] : text.slice(0, -1).split('\n');
  }

  /** A message with calls has come. */
  callsReceived() {
    this.#calls.messageReceived();
  }

  /** Before a message is sent: a worker that sleeps goes and takes it. */
  announceMessage() {
    this.#answers.messageSent();
    this.#wake();
  }

  /** Throws away what an earlier script left; only while the worker has none. */
  clear() {
    this.#answers.clear();
    this.#calls.clear();
    Atomics.store(this.#header, toldIndex, 0);
  }

  #wake() {
    Atomics.add(this.#header, wakeIndex, 1);
    Atomics.notify(this.#header, wakeIndex);
  }
}

/** The worker's side. */
export class WorkerMailbox {
  #header;
  #answers;
  #calls;

  /** @param {SharedArrayBuffer} mailbox */
  constructor(mailbox) {
    this.#header = new Int32Array(mailbox, 0, answersHeader);
    this.#answers = answersOf(mailbox);
    this.#calls = callsOf(mailbox);
  }

  /**
   * Leaves a list of calls for the host: `told` where it already knows that it has to look, `untold` where not; `message`
   * when they have to go as a message.
   * @param {string} json In one line.
   */
  putCalls(json) {
    if (!this.#calls.append(`${json}\n`)) {
      this.#calls.messageSent();
      return 'message';
    }
    return Atomics.exchange(this.#header, toldIndex, 1) === 1 ? 'told' : 'untold';
  }

  /** A message has come. */
  received() {
    this.#answers.messageReceived();
  }

  /**
   * Sleeps until there are answers; undefined when a message is on its way instead.
   * @returns {VmAnswer[] | undefined}
   */
  wait() {
    for (;;) {
      const seen = Atomics.load(this.#header, wakeIndex);
      if (!this.#answers.isEmpty) return toAnswers(this.#answers.take());
      if (this.#answers.hasMessages) return undefined;
      Atomics.wait(this.#header, wakeIndex, seen);
    }
  }
}

/** @param {string} text */
function toAnswers(text) {
  /** @type {VmAnswer[]} */
  const answers = [];
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at);
    const [id = 0, nowMs = 0, length = 0] = text.slice(at, end).split(' ').map(Number);
    at = end + 1 + length;
    answers.push({ id, nowMs, json: text.slice(end + 1, at) });
  }
  return answers;
}

/** @param {SharedArrayBuffer} mailbox */
function answersOf(mailbox) {
  return new TextLane(
    new Int32Array(mailbox, 4 * answersHeader, laneHeaderInts),
    Buffer.from(mailbox, headerBytes, capacityBytes),
  );
}

/** @param {SharedArrayBuffer} mailbox */
function callsOf(mailbox) {
  return new TextLane(
    new Int32Array(mailbox, 4 * callsHeader, laneHeaderInts),
    Buffer.from(mailbox, headerBytes + capacityBytes, capacityBytes),
  );
}
