import type { SanitiserStream } from '../sanitise/sanitiser.ts';
import type { BoundCall } from './bound-call.ts';
import { emit } from './emit.ts';
import type { KernelSession } from './kernel-session.ts';

/** Streams pieces of output to listeners; no secret comes out in parts. */
export class DeltaStream {
  readonly #session: KernelSession;
  readonly #call: BoundCall;
  readonly #stream: SanitiserStream<string>;

  constructor(session: KernelSession, call: BoundCall) {
    this.#session = session;
    this.#call = call;
    this.#stream = session.sanitiser.textStream();
  }

  push(delta: string): void {
    this.#tell(this.#stream.push(delta));
  }

  end(): void {
    this.#tell(this.#stream.end());
  }

  #tell(delta: string): void {
    if (delta === '') return;
    const { invocation, tool } = this.#call;
    emit(this.#session, invocation, () => ({
      type: 'tool_output_delta',
      id: invocation.id,
      name: tool.name,
      delta,
    }));
  }
}
