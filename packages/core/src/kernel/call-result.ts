import type { ToolResult } from '../tool/tool-result.ts';

/** The result of a call for whoever waits for it beside its caller; most calls have nobody, and make no promise. */
export class CallResult {
  #promise: Promise<ToolResult> | undefined;
  #settle: ((result: ToolResult) => void) | undefined;

  /** Only while the call has not ended. */
  get promise(): Promise<ToolResult> {
    this.#promise ??= new Promise((resolve) => {
      this.#settle = resolve;
    });
    return this.#promise;
  }

  settle(result: ToolResult): void {
    this.#settle?.(result);
  }
}
