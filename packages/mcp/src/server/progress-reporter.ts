/** One tick as MCP sends it. */
export interface ProgressTick {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Where a tool stands, as the kernel tells it. */
export interface ProgressStep {
  readonly current?: number;
  readonly total?: number;
  readonly message?: string;
}

/** Ticks in a second, at most. */
const maxTicksPerSecond = 10;

/** Milliseconds of silence after which a tick says that the call still runs. */
const heartbeatMs = 5_000;

/** Characters of a message, at most. */
const maxMessageLength = 1_000;

/**
 * Turns the steps of a call into ticks whose number always grows, at most ten in any second: what comes faster is
 * merged, the last step is never lost. A long silence gets a tick of its own, because clients give up on silence.
 */
export class ProgressReporter {
  readonly #send: (tick: ProgressTick) => Promise<void>;
  readonly #sentAt: number[] = [];
  #last: ProgressTick | undefined;
  #next: ProgressStep | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #sending: Promise<void> = Promise.resolve();
  #isDone = false;

  constructor(send: (tick: ProgressTick) => Promise<void>) {
    this.#send = send;
    this.#rest();
  }

  step(step: ProgressStep): void {
    if (this.#isDone) return;
    this.#next = step;
    const wait = this.#waitMs();
    if (wait === 0) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), wait);
  }

  /** Sends what is left and waits until all of it is out; nothing comes after. */
  async finish(): Promise<void> {
    if (!this.#isDone) this.#flush();
    this.#isDone = true;
    clearInterval(this.#heartbeat);
    await this.#sending;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const step = this.#next;
    this.#next = undefined;
    if (step === undefined) return;
    const tick = this.#toTick(step);
    if (tick !== undefined) this.#tell(tick);
  }

  /** The step as a tick; undefined when its number would not be above the last one. */
  #toTick({ current, total, message }: ProgressStep): ProgressTick | undefined {
    const before = this.#last?.progress ?? 0;
    const isFirst = this.#last === undefined;
    // Zero has no sign on the wire.
    const progress = (current ?? this.#between()) + 0;
    if (!Number.isFinite(progress) || (isFirst ? progress < 0 : progress <= before)) {
      return undefined;
    }
    const whole = total ?? (current === undefined ? this.#last?.total : undefined);
    return {
      progress,
      ...(whole === undefined ? {} : { total: whole }),
      ...(message === undefined ? {} : { message: message.slice(0, maxMessageLength) }),
    };
  }

  /** A number above the last one that leaves room for what the tool itself will count. */
  #between(): number {
    const { progress = 0, total } = this.#last ?? {};
    return total !== undefined && total > progress
      ? progress + (total - progress) / 1_000
      : progress + 1;
  }

  #tell(tick: ProgressTick): void {
    this.#last = tick;
    this.#sentAt.push(Date.now());
    if (this.#sentAt.length > maxTicksPerSecond) this.#sentAt.shift();
    this.#rest();
    this.#sending = settled([this.#sending, this.#send(tick)]);
  }

  #waitMs(): number {
    const oldest = this.#sentAt[0];
    if (oldest === undefined || this.#sentAt.length < maxTicksPerSecond) return 0;
    return Math.max(0, oldest + 1_000 - Date.now());
  }

  /** Begins to count silence anew. */
  #rest(): void {
    clearInterval(this.#heartbeat);
    this.#heartbeat = setInterval(() => {
      const tick = this.#toTick({ message: 'still running' });
      if (tick !== undefined) this.#tell(tick);
    }, heartbeatMs);
    this.#heartbeat.unref();
  }
}

/** A client that cannot be told loses a tick, not its result. */
async function settled(work: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(work);
}
