import { ToolError } from '@toolwright/core';

/** The times of one call; see `McpServerConfig`. */
export interface CallTimes {
  readonly server: string;
  readonly timeoutMs: number;
  readonly maxTotalMs: number;
  readonly resetOnProgress: boolean;
}

/** The two timers of a call: silence, and the whole. A person who is asked stops both. */
export class CallClock {
  readonly #times: CallTimes;
  readonly #expire: (error: ToolError) => void;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #total: ReturnType<typeof setTimeout> | undefined;
  #totalLeftMs: number;
  #startedAt = 0;
  #pauses = 0;

  constructor(times: CallTimes, expire: (error: ToolError) => void) {
    this.#times = times;
    this.#expire = expire;
    this.#totalLeftMs = times.maxTotalMs;
    this.#run();
  }

  progressed(): void {
    if (this.#times.resetOnProgress && this.#pauses === 0) this.#startIdle();
  }

  /** Stops both timers until the function that it returns is called. */
  pause(): () => void {
    this.#pauses += 1;
    if (this.#pauses === 1) {
      this.#totalLeftMs -= performance.now() - this.#startedAt;
      this.end();
    }
    let resumed = false;
    return () => {
      if (resumed) return;
      resumed = true;
      this.#pauses -= 1;
      if (this.#pauses === 0) this.#run();
    };
  }

  end(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#total);
  }

  #run(): void {
    this.#startedAt = performance.now();
    this.#total = setTimeout(() => this.#fire('total'), Math.max(0, this.#totalLeftMs));
    this.#startIdle();
  }

  #startIdle(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#fire('idle'), this.#times.timeoutMs);
  }

  #fire(which: 'idle' | 'total'): void {
    this.end();
    const { server, timeoutMs, maxTotalMs } = this.#times;
    const message =
      which === 'idle'
        ? `The MCP server ${server} said nothing for ${timeoutMs} ms; the call was cancelled. Raise timeoutMs of this server if its tools need longer.`
        : `The call of the MCP server ${server} lasted ${maxTotalMs} ms in all and was cancelled. Raise maxTotalMs of this server if its tools need longer.`;
    this.#expire(
      new ToolError('timeout', message, {
        reason: which === 'idle' ? 'silent' : 'total',
        fields: { duration_ms: which === 'idle' ? timeoutMs : maxTotalMs },
      }),
    );
  }
}
