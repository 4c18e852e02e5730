/**
 * The way of answers into a worker, without its event loop: the host leaves them in shared memory, where the worker,
 * whose script waits for them, sleeps. Crossing so costs a third of a message. What does not fit goes as a message.
 *
 * Layout: four 32-bit integers (a count that wakes, bytes of answers or 0, messages sent, messages received), then
 * UTF-8 text.
 */

/** @import { VmAnswer } from './messages.ts' */

const headerBytes = 16;
const wakeIndex = 0;
const bytesIndex = 1;
const sentIndex = 2;
const receivedIndex = 3;
/** UTF-8 bytes of answers that fit. */
const capacityBytes = 262_144;

/** @returns {SharedArrayBuffer} */
export function createMailbox() {
  return new SharedArrayBuffer(headerBytes + capacityBytes);
}

/** The host's side: it alone writes answers. */
export class MailboxSender {
  #header;
  #text;

  /** @param {SharedArrayBuffer} mailbox */
  constructor(mailbox) {
    this.#header = new Int32Array(mailbox, 0, 4);
    this.#text = Buffer.from(mailbox, headerBytes);
  }

  /**
   * Leaves answers for the worker. False when they have to go as a message: they do not fit, earlier ones still lie
   * there, or messages are on their way that must come first.
   * @param {readonly VmAnswer[]} answers
   */
  put(answers) {
    const header = this.#header;
    if (Atomics.load(header, bytesIndex) !== 0) return false;
    if (Atomics.load(header, sentIndex) !== Atomics.load(header, receivedIndex)) return false;
    const text = answers.map(({ id, json, nowMs }) => `${id} ${nowMs} ${json.length}\n${json}`);
    const whole = text.join('');
    // A UTF-16 unit takes at most three bytes.
    if (whole.length * 3 > capacityBytes && Buffer.byteLength(whole) > capacityBytes) return false;
    const bytes = this.#text.write(whole, 'utf8');
    Atomics.store(header, bytesIndex, bytes);
    this.#wake();
    return true;
  }

  /** Throws away what an earlier script did not take; only while the worker has none. */
  clear() {
    Atomics.store(this.#header, bytesIndex, 0);
  }

  /** Before a message is sent: a worker that sleeps goes and takes it. */
  announceMessage() {
    Atomics.add(this.#header, sentIndex, 1);
    this.#wake();
  }

  #wake() {
    Atomics.add(this.#header, wakeIndex, 1);
    Atomics.notify(this.#header, wakeIndex);
  }
}

/** The worker's side. */
export class MailboxReceiver {
  #header;
  #text;

  /** @param {SharedArrayBuffer} mailbox */
  constructor(mailbox) {
    this.#header = new Int32Array(mailbox, 0, 4);
    this.#text = Buffer.from(mailbox, headerBytes);
  }

  /** A message has come. */
  received() {
    Atomics.add(this.#header, receivedIndex, 1);
  }

  /**
   * Sleeps until there are answers; undefined when a message is on its way instead.
   * @returns {VmAnswer[] | undefined}
   */
  wait() {
    const header = this.#header;
    for (;;) {
      const seen = Atomics.load(header, wakeIndex);
      const bytes = Atomics.load(header, bytesIndex);
      if (bytes !== 0) return this.#take(bytes);
      if (Atomics.load(header, sentIndex) !== Atomics.load(header, receivedIndex)) return undefined;
      Atomics.wait(header, wakeIndex, seen);
    }
  }

  /** @param {number} bytes */
  #take(bytes) {
    const text = this.#text.toString('utf8', 0, bytes);
    Atomics.store(this.#header, bytesIndex, 0);
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
}
