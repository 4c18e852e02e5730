/**
 * One direction of a mailbox: one thread appends text to shared memory, another takes all that lies there. Text that
 * does not fit goes as a message, and so does what follows it until that message has come: nothing overtakes.
 *
 * Layout of the header: three 32-bit integers (bytes that lie there, messages sent, messages received).
 */
export const laneHeaderInts = 3;
const bytesIndex = 0;
const sentIndex = 1;
const receivedIndex = 2;

export class TextLane {
  #header;
  #text;

  /**
   * @param {Int32Array} header Of shared memory.
   * @param {Buffer} text Of shared memory.
   */
  constructor(header, text) {
    this.#header = header;
    this.#text = text;
  }

  /**
   * Appends text; false when it has to go as a message.
   * @param {string} text
   */
  append(text) {
    const header = this.#header;
    if (this.hasMessages) return false;
    // A UTF-16 unit takes at most three bytes.
    const bytes = text.length * 3;
    const room = this.#text.length - Atomics.load(header, bytesIndex);
    if (bytes > room && Buffer.byteLength(text) > room) return false;
    const used = Atomics.load(header, bytesIndex);
    const written = this.#text.write(text, used, 'utf8');
    if (Atomics.compareExchange(header, bytesIndex, used, used + written) === used) return true;
    // The other side has taken everything meanwhile, this perhaps half written: it stands where nobody looks.
    Atomics.store(header, bytesIndex, this.#text.write(text, 0, 'utf8'));
    return true;
  }

  /** All that lies there; it is gone then. Empty when there is nothing. */
  take() {
    const header = this.#header;
    let bytes = Atomics.load(header, bytesIndex);
    while (bytes !== 0) {
      const text = this.#text.toString('utf8', 0, bytes);
      const now = Atomics.compareExchange(header, bytesIndex, bytes, 0);
      if (now === bytes) return text;
      bytes = now;
    }
    return '';
  }

  get isEmpty() {
    return Atomics.load(this.#header, bytesIndex) === 0;
  }

  /** Whether messages have been sent that have not come yet. */
  get hasMessages() {
    return Atomics.load(this.#header, sentIndex) !== Atomics.load(this.#header, receivedIndex);
  }

  messageSent() {
    Atomics.add(this.#header, sentIndex, 1);
  }

  messageReceived() {
    Atomics.add(this.#header, receivedIndex, 1);
  }

  /** Throws away what lies there; only while the other side does nothing. */
  clear() {
    Atomics.store(this.#header, bytesIndex, 0);
  }
}
