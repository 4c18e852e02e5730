/** Something that stands in a {@link Chain}; made by `add` alone. */
export interface Link<T> {
  readonly value: T;
  previous: Link<T> | undefined;
  next: Link<T> | undefined;
  isIn: boolean;
}

/**
 * Values in the order in which they came, each taken out at once by its link. Calls come and go here by the thousand: a
 * Set would make its table anew all the time.
 */
export class Chain<T> {
  #first: Link<T> | undefined;
  #last: Link<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#first?.value;
  }

  add(value: T): Link<T> {
    const link: Link<T> = { value, previous: undefined, next: undefined, isIn: false };
    this.put(link);
    return link;
  }

  /** Puts in the value of a link that is in no chain, this one or another. */
  put(link: Link<T>): void {
    link.previous = this.#last;
    link.isIn = true;
    if (this.#last === undefined) this.#first = link;
    else this.#last.next = link;
    this.#last = link;
    this.#size += 1;
  }

  /** Takes a value out; false if it was out already. */
  remove(link: Link<T>): boolean {
    if (!link.isIn) return false;
    link.isIn = false;
    if (link.previous === undefined) this.#first = link.next;
    else link.previous.next = link.next;
    if (link.next === undefined) this.#last = link.previous;
    else link.next.previous = link.previous;
    link.previous = undefined;
    link.next = undefined;
    this.#size -= 1;
    return true;
  }

  *[Symbol.iterator](): Generator<T> {
    for (let link = this.#first; link !== undefined; link = link.next) yield link.value;
  }

  /** Takes the first value out. */
  shift(): T | undefined {
    const link = this.#first;
    if (link !== undefined) this.remove(link);
    return link?.value;
  }
}
