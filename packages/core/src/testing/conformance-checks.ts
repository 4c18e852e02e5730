import { conservativeProjection } from '../projection/policy.ts';
import { isJsonObject, type JsonObject } from '../json/json.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import { assertTyped, examplesOf, type Bench, type Observed } from './conformance-bench.ts';

/** Operations of a workspace at which a call is cancelled, at most. */
const maxCancelPoints = 24;

const hostileText = `\u0000../..//\u202E${'x'.repeat(70_000)}\ud800`;

/** What is expected of every tool; each throws an error that says what was wrong. */
export const conformanceChecks: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  'has examples that its schema admits': async ({ tool }) => {
    if (examplesOf(tool).length === 0) throw new Error('It has no examples to check it with.');
  },
  'comes to a result for one of its examples': async (bench) => {
    const messages: string[] = [];
    for (const args of examplesOf(bench.tool)) {
      const { error, output } = (await bench.observe(args)).result;
      if (error === null) return;
      messages.push(`${JSON.stringify(args).slice(0, 200)}: ${output.slice(0, 200)}`);
    }
    // What always fails says nothing about the rest; the workspace needs what the examples name.
    if (messages.length > 0) throw new Error(`Every example fails. ${messages.join('; ')}`);
  },
  'does what it declares and no more': async (bench) => {
    for (const args of examplesOf(bench.tool)) {
      const { result, record, refused } = await bench.observe(args);
      assertTyped(result);
      if (result.error?.type === 'effect_violation') throw new Error(result.error.message);
      const [quietly] = refused;
      if (quietly !== undefined) throw new Error(`It kept quiet about a refusal: ${quietly}`);
      if (bench.tool.capabilities(args).readOnly && record.written.length > 0) {
        throw new Error(`It says that it is read-only and wrote ${record.written.join(', ')}.`);
      }
    }
  },
  'keeps every part of its result within its bound': async (bench) => {
    for (const args of examplesOf(bench.tool)) {
      const { result } = await bench.observe(args);
      const bytes = new TextEncoder().encode(result.output).length;
      if (bytes > conservativeProjection.max_output_bytes) throw new Error(`${bytes} bytes came.`);
      for (const part of ['metadata', 'structured', 'content']) {
        if (result.metadata[`${part}_omitted`] === undefined) continue;
        throw new Error(`Its ${part} did not fit, or was no JSON, and was left out.`);
      }
    }
  },
  'gives equal bytes for equal state': async (bench) => {
    if (bench.varies) return;
    for (const args of examplesOf(bench.tool)) {
      const first = await bench.observe(args);
      const second = await bench.observe(args);
      if (first.result.output !== second.result.output) throw new Error('The outputs differ.');
      for (const part of ['structured', 'content'] as const) {
        if (JSON.stringify(first.result[part]) === JSON.stringify(second.result[part])) continue;
        throw new Error(`The ${part} of the results differs.`);
      }
    }
  },
  'may run beside itself where it says so': async (bench) => {
    if (bench.varies) return;
    for (const args of examplesOf(bench.tool)) {
      const { readOnly, maxParallelism } = bench.tool.capabilities(args);
      if (!readOnly || maxParallelism < 2) continue;
      const times = Math.min(maxParallelism, 3);
      const { result } = await bench.observe(args);
      const { others } = await bench.observe(args, { times, atOnce: true });
      if (others.some(({ output }) => output !== result.output)) {
        throw new Error('Calls side by side have other outputs than one alone.');
      }
    }
  },
  'has the effect of one call when it is made twice, where it says so': async (bench) => {
    for (const args of examplesOf(bench.tool)) {
      const { readOnly, idempotent } = bench.tool.capabilities(args);
      if (readOnly || !idempotent) continue;
      const once = await bench.observe(args, { state: true });
      const twice = await bench.observe(args, { state: true, times: 2 });
      if (once.state !== twice.state) throw new Error('The second call changed files again.');
    }
  },
  'goes on from the cursors that it gives out': async (bench) => {
    for (const args of examplesOf(bench.tool)) {
      const { result, others } = await bench.observe(args, {
        next: ({ metadata }) => {
          const cursor = cursorOf(metadata);
          // A cursor says where to go on, and so takes the place of an offset.
          const { offset: _offset, ...rest } = args;
          return cursor === undefined ? undefined : { ...rest, cursor };
        },
      });
      if (cursorOf(result.metadata) === undefined) continue;
      if (!bench.tool.capabilities(args).paginated) {
        throw new Error('It gives out a cursor and does not say that it pages.');
      }
      const error = others[0]?.error;
      if (error != null) throw new Error(`It does not take its own cursor: ${error.message}`);
    }
  },
  'survives hostile arguments with typed errors': async (bench) => {
    for (const args of hostile(examplesOf(bench.tool))) {
      assertTyped((await bench.observe(args)).result);
    }
  },
  'ends when it is cancelled, before it begins and while it runs': async (bench) => {
    for (const args of examplesOf(bench.tool)) {
      const { result, later } = await bench.observe(args, { cancelAt: 0 });
      if (result.error?.type !== 'cancelled') throw new Error('It was not cancelled.');
      if (later.operations > 0) throw new Error('It used the workspace all the same.');
      const soon = await bench.observe(args, { cancelAt: 'soon' });
      if (soon.goesOn) throw new Error('It went on after its call was cancelled.');
      const { processes } = soon.settled;
      if (soon.result.error?.type === 'cancelled' && processes > 0) {
        throw new Error(`${processes} processes went on after its call was cancelled.`);
      }
    }
  },
  'leaves nothing when it ends or is cancelled': async (bench) => {
    for (const args of examplesOf(bench.tool)) {
      const { readOnly, cancellationSafe } = bench.tool.capabilities(args);
      const state = cancellationSafe && !readOnly;
      const whole = await bench.observe(args, { state });
      assertNothingLeft(whole);
      const none = state ? await bench.observe(args, { cancelAt: 0, state }) : whole;
      const points = Math.min(whole.record.operations, maxCancelPoints);
      for (let at = 1; at <= points; at += 1) {
        const observed = await bench.observe(args, { cancelAt: at, state });
        if (observed.goesOn) throw new Error('It went on after its call was cancelled.');
        assertNothingLeft(observed);
        if (observed.state !== whole.state && observed.state !== none.state) {
          throw new Error('It says that it can be cancelled safely and left half of its work.');
        }
      }
    }
  },
};

/** The cursor with which a result says that it can be continued. */
function cursorOf({ page, range }: ToolResult['metadata']): string | undefined {
  for (const part of [page, range]) {
    const cursor = isJsonObject(part) ? part['next_cursor'] : undefined;
    if (typeof cursor === 'string') return cursor;
  }
  return undefined;
}

function assertNothingLeft({ record, later, settled }: Observed): void {
  // The kernel closes what a tool leaves open, and a tool must not count on it.
  const open = Math.max(settled.open, later.open);
  if (open > 0) throw new Error(`${open} readers or transactions stayed open.`);
  if (later.written.length > record.written.length) {
    throw new Error('It wrote after its call had ended.');
  }
}

/** Each argument of each example in turn becomes something that nobody expects. */
function* hostile(examples: readonly JsonObject[]): Generator<JsonObject> {
  yield {};
  for (const example of examples) {
    for (const key of Object.keys(example)) {
      for (const value of [null, '', -1, hostileText, [], {}, 1e308]) {
        yield { ...example, [key]: value };
      }
    }
  }
}
