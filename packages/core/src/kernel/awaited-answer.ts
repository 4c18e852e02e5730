import type { ApprovalAnswer } from '../approval/approval.ts';
import type { ToolError } from '../errors/tool-error.ts';

/** The answer that a call waits for, from whomever it comes first: its approver, or somebody outside of the call. */
export class AwaitedAnswer {
  readonly answer: Promise<ApprovalAnswer>;
  #given: ApprovalAnswer | undefined;
  #resolve: (answer: ApprovalAnswer) => void = () => {};
  #reject: (error: ToolError) => void = () => {};

  constructor() {
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get given(): ApprovalAnswer | undefined {
    return this.#given;
  }

  /** Takes the first answer; false for every later one. */
  give(answer: ApprovalAnswer): boolean {
    if (this.#given !== undefined) return false;
    this.#given = answer;
    this.#resolve(answer);
    return true;
  }

  /** Nobody will answer. */
  fail(error: ToolError): void {
    this.#reject(error);
  }
}
