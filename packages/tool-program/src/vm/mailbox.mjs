import { Patience } from './patience.mjs';
import { laneHeaderInts, TextLane } from './text-lane.mjs';

/**
 * The way of scripts and answers into a worker, and of calls out of it: they lie in shared memory. Each side waits for a
 * count there to change, the worker without its event loop: a message would cost both more than most calls do.
 *
 * Layout: two 32-bit integers (a count for the worker, one for the host), the headers of two lanes, their text.
 */

/** @import { VmAnswer } from './messages.ts' */

/**
 * What lay in the mailbox: a script, or answers for the one that waits.
 * @typedef {{ readonly job: string | undefined, readonly answers: readonly VmAnswer[] }} Mail
 */

const workerIndex = 0;
const hostIndex = 1;
const toWorkerHeader = 2;
const toHostHeader = toWorkerHeader + laneHeaderInts;
const headerBytes = 4 * (toHostHeader + laneHeaderInts);
/** UTF-8 bytes that fit on the way to the worker, and as many on the way back. */
const capacityBytes = 262_144;
/** What a script has where answers have the number of their call. */
const jobId = -1;

/** @returns {SharedArrayBuffer} */
export function createMailbox() {
  return new SharedArrayBuffer(headerBytes + 2 * capacityBytes);
}

/** The host's side. */
export class HostMailbox {
  #counts;
  #toWorker;
  #toHost;
  #patience;
  #look;
  #seen = 0;
  /** Whether something was left for the worker since it was last heard. */
  #hasPut = false;
  /** Whether the host waits to be woken, or will in this turn of its event loop. */
  #isWaiting = false;
  #isClosed = false;

  /**
   * @param {SharedArrayBuffer} mailbox
   * @param {{ look: () => boolean, isPatient: boolean }} options `look` is called when the worker has told something;
   * it says whether more will come although nothing is left for it. `isPatient`: see {@link Patience}.
   */
  constructor(mailbox, { look, isPatient }) {
    this.#counts = new Int32Array(mailbox, 0, toWorkerHeader);
    this.#toWorker = toWorkerOf(mailbox);
    this.#toHost = toHostOf(mailbox);
    this.#look = look;
    this.#patience = new Patience(isPatient);
  }

  /**
   * Leaves a script for the worker. False when it has to go as a message.
   * @param {string} json
   */
  putJob(json) {
    return this.#put(toEntry(jobId, 0, json));
  }

  /**
   * Leaves answers for the worker. False when they have to go as a message.
   * @param {readonly VmAnswer[]} answers
   */
  putAnswers(answers) {
    let text = '';
    for (const { id, nowMs, json } of answers) text += toEntry(id, nowMs, json);
    return this.#put(text);
  }

  /** A script will soon be there: a worker that sleeps is awake by then. */
  announceJob() {
    Atomics.add(this.#counts, workerIndex, 1);
    Atomics.notify(this.#counts, workerIndex);
  }

  /** What the worker has told, in its order: lines of JSON. */
  takeTold() {
    const text = this.#toHost.take();
    return text === '' ? [] : text.slice(0, -1).split('\n');
  }

  /** A message has come in place of a line. */
  messageReceived() {
    this.#toHost.messageReceived();
  }

  /** Before a message is sent: a worker that sleeps goes and takes it. */
  announceMessage() {
    this.#toWorker.messageSent();
    this.#wakeWorker();
  }

  /** Throws away what an earlier script told last; only while the worker has none. */
  clear() {
    this.#toHost.clear();
  }

  /** Nothing more is heard. */
  close() {
    this.#isClosed = true;
    Atomics.notify(this.#counts, hostIndex);
  }

  /** @param {string} text */
  #put(text) {
    if (!this.#toWorker.append(text)) return false;
    this.#hasPut = true;
    this.#wakeWorker();
    return true;
  }

  #wakeWorker() {
    Atomics.add(this.#counts, workerIndex, 1);
    Atomics.notify(this.#counts, workerIndex);
    this.#wait();
  }

  /** In a turn of its own: whatever else the host has to do comes first, however fast the worker is. */
  #wait() {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    setImmediate(() => {
      if (this.#hasPut && this.#patience.sees(this.#counts, hostIndex, this.#seen)) this.#hear();
      else this.#sleep();
    });
  }

  #sleep() {
    if (this.#isClosed) return;
    const told = Atomics.waitAsync(this.#counts, hostIndex, this.#seen);
    if (told.async) void told.value.then(() => this.#hear());
    else this.#hear();
  }

  #hear() {
    this.#isWaiting = false;
    this.#hasPut = false;
    this.#seen = Atomics.load(this.#counts, hostIndex);
    if (this.#look()) this.#wait();
  }
}

/** The worker's side. */
export class WorkerMailbox {
  #counts;
  #toWorker;
  #toHost;
  #patience;

  /**
   * @param {SharedArrayBuffer} mailbox
   * @param {{ isPatient: boolean }} options See {@link Patience}.
   */
  constructor(mailbox, { isPatient }) {
    this.#counts = new Int32Array(mailbox, 0, toWorkerHeader);
    this.#toWorker = toWorkerOf(mailbox);
    this.#toHost = toHostOf(mailbox);
    this.#patience = new Patience(isPatient);
  }

  /**
   * Tells the host something. False when it has to go as a message, which is then announced.
   * @param {string} json In one line.
   */
  tell(json) {
    if (!this.#toHost.append(`${json}\n`)) {
      this.announceMessage();
      return false;
    }
    this.wakeHost();
    return true;
  }

  /** Before a message is sent: what is told after it does not overtake it. */
  announceMessage() {
    this.#toHost.messageSent();
  }

  /** The host is to look, for lines that were written. */
  wakeHost() {
    Atomics.add(this.#counts, hostIndex, 1);
    Atomics.notify(this.#counts, hostIndex);
  }

  /** A message has come. */
  received() {
    this.#toWorker.messageReceived();
  }

  /**
   * Waits until there is something; undefined when a message is on its way instead.
   * @param {{ soon: boolean }} expected Whether something will probably come at once.
   * @returns {Mail | undefined}
   */
  wait({ soon }) {
    let expects = soon;
    for (;;) {
      const seen = Atomics.load(this.#counts, workerIndex);
      if (!this.#toWorker.isEmpty) return toMail(this.#toWorker.take());
      if (this.#toWorker.hasMessages) return undefined;
      if (expects && this.#patience.sees(this.#counts, workerIndex, seen)) continue;
      Atomics.wait(this.#counts, workerIndex, seen);
      // Whoever is woken although there is nothing yet will have something soon.
      expects = true;
    }
  }
}

/**
 * @param {number} id
 * @param {number} nowMs
 * @param {string} json
 */
function toEntry(id, nowMs, json) {
  return `${id} ${nowMs} ${json.length}\n${json}`;
}

/**
 * Before a script may stand answers that an earlier one did not wait for: they go.
 * @param {string} text
 * @returns {Mail}
 */
function toMail(text) {
  /** @type {string | undefined} */
  let job;
  /** @type {VmAnswer[]} */
  let answers = [];
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at);
    const [id = 0, nowMs = 0, length = 0] = text.slice(at, end).split(' ').map(Number);
    at = end + 1 + length;
    const json = text.slice(end + 1, at);
    if (id === jobId) {
      job = json;
      answers = [];
    } else answers.push({ id, nowMs, json });
  }
  return { job, answers };
}

/** @param {SharedArrayBuffer} mailbox */
function toWorkerOf(mailbox) {
  return new TextLane(
    new Int32Array(mailbox, 4 * toWorkerHeader, laneHeaderInts),
    Buffer.from(mailbox, headerBytes, capacityBytes),
  );
}

/** @param {SharedArrayBuffer} mailbox */
function toHostOf(mailbox) {
  return new TextLane(
    new Int32Array(mailbox, 4 * toHostHeader, laneHeaderInts),
    Buffer.from(mailbox, headerBytes + capacityBytes, capacityBytes),
  );
}
