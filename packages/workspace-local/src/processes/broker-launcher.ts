import { ToolError } from '@toolwright/core';
import { Broker, type BrokerOptions } from './broker.ts';
import type { LaunchedProcess, Launcher, LaunchRequest } from './launcher.ts';

/**
 * Starts programs through a broker process (POSIX). It starts with the first program, which costs about
 * 40 ms once and 45 MB; from then on starting takes the same time however large the host is. A broker
 * that was killed is replaced.
 */
export class BrokerLauncher implements Launcher {
  readonly #options: BrokerOptions;
  #broker: Promise<Broker> | null = null;
  #closed = false;

  constructor(options: BrokerOptions) {
    this.#options = options;
  }

  async launch(request: LaunchRequest): Promise<LaunchedProcess> {
    if (this.#closed) throw new ToolError('cancelled', 'The workspace is closed.');
    const broker = await this.#current();
    return broker.launch(request);
  }

  /** Whether a limit on tasks holds; starts the broker. */
  async tasksLimited(): Promise<boolean> {
    const broker = await this.#current();
    return broker.tasksLimited;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const broker = await this.#broker?.catch(() => null);
    await broker?.close();
  }

  #current(): Promise<Broker> {
    if (this.#broker === null) {
      const broker = Broker.start(this.#options, () => {
        if (this.#broker === broker) this.#broker = null;
      });
      this.#broker = broker;
      broker.catch(() => {
        this.#broker = null;
      });
    }
    return this.#broker;
  }
}
