import type { VmAnswer, VmCall } from '../vm/messages.ts';
import type { CallConductor, Respond } from './call-conductor.ts';
import { CallLedger } from './call-ledger.ts';
import type { NestedCalls } from './nested-calls.ts';

/** Performs the calls of a program that keeps no log. */
export class LiveCalls implements CallConductor {
  readonly #calls: NestedCalls;
  readonly #now: () => number;
  readonly #ledger = new CallLedger();
  #underWay = 0;
  readonly #waitForIdle: (() => void)[] = [];
  #answers: VmAnswer[] = [];

  constructor(calls: NestedCalls, now: () => number) {
    this.#calls = calls;
    this.#now = now;
  }

  get external(): boolean {
    return this.#ledger.external;
  }

  summaries(): ReturnType<CallConductor['summaries']> {
    return this.#ledger.summaries();
  }

  handle(calls: readonly VmCall[], respond: Respond): void {
    for (const call of calls) {
      this.#ledger.made(call);
      this.#underWay += 1;
      void this.#perform(call, respond);
    }
  }

  async idle(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#waitForIdle.push(resolve));
  }

  async #perform(call: VmCall, respond: Respond): Promise<void> {
    const answer = await this.#calls.perform(call);
    this.#ledger.answered(call, answer);
    // Answers that come together go together: the tick is over when all that could settle has settled.
    if (this.#answers.length === 0) {
      process.nextTick(() => {
        const answers = this.#answers;
        this.#answers = [];
        respond(answers);
      });
    }
    this.#answers.push({ id: call.id, json: JSON.stringify(answer), nowMs: this.#now() });
    this.#underWay -= 1;
    if (this.#underWay === 0) for (const tell of this.#waitForIdle.splice(0)) tell();
  }
}
