// What must hold after any schedule, each as a generator of what was violated.
import { sha256Hex, type ToolEvent, type ToolResult } from '../../../src/index.ts';
import type { Plan } from './plan.ts';
import type { runPlan } from './run-plan.ts';

type Seen = Awaited<ReturnType<typeof runPlan>>;

type EventOf<Type extends ToolEvent['type']> = Extract<ToolEvent, { readonly type: Type }>;

/** Everything that a schedule violated; empty when all invariants held. */
export function violations(seen: Seen, plan: Plan): readonly string[] {
  return [
    ...endsOnce(seen),
    ...hasNoEarlyEffect(seen, plan),
    ...isMeasured(seen),
    ...hasOrigins(seen),
    ...passesStages(seen),
    ...leavesNothing(seen, plan),
    ...runsAlone(seen, plan),
    ...neverStalls(seen),
  ];
}

function ofType<Type extends ToolEvent['type']>(seen: Seen, type: Type): readonly EventOf<Type>[] {
  return seen.events.filter((event): event is EventOf<Type> => event.type === type);
}

function idsOf(events: readonly ToolEvent[]): readonly string[] {
  return events.map((event) => event.invocation_id).sort();
}

/** I1: every call ends once, in one of four states, with which its result agrees. */
function* endsOnce(seen: Seen): Generator<string> {
  if (seen.results === undefined) yield 'I1: a call never ended';
  for (const { id, stage } of seen.active) yield `I1: ${id} is still active, in ${stage}`;
  const ends = idsOf(ofType(seen, 'tool_end'));
  if (new Set(ends).size !== ends.length) yield 'I1: a call ended twice';
  const starts = idsOf(ofType(seen, 'tool_start'));
  if (starts.join() !== ends.join()) yield `I1: ${starts.join()} began, ${ends.join()} ended`;
  for (const { id, state, error } of ofType(seen, 'tool_end')) {
    if (!['completed', 'rejected', 'cancelled', 'failed'].includes(state)) {
      yield `I1: ${id} ended in ${state}`;
    }
    if ((state === 'completed') !== (error === null))
      yield `I1: ${id} ${state} with ${error?.type}`;
  }
  const told = seen.asked.records.map((record) => record.invocation_id).sort();
  if (told.join() !== ends.join()) yield `I1: telemetry was told of ${told.join()}`;
}

/** I2: nothing is done for a call that did not come to run, and nothing after a refusal. */
function* hasNoEarlyEffect(seen: Seen, plan: Plan): Generator<string> {
  const { ran } = seen.doings;
  const started = new Set(idsOf(ofType(seen, 'tool_execution_start')));
  for (const id of ran) if (!started.has(id)) yield `I2: the tool of ${id} ran before its stage`;
  const ends = new Map(ofType(seen, 'tool_end').map((event) => [event.invocation_id, event]));
  for (const [id, { state }] of ends) {
    if (state === 'rejected' && ran.includes(id)) yield `I2: ${id} was rejected and ran`;
  }
  const didSomething = seen.operations > 0 || seen.requests > 0;
  if (ran.length === 0 && didSomething) yield 'I2: something was done although nothing ran';
  if (plan.faults.some(({ place }) => place === 'resolvePath' || place === 'effects')) return;
  for (const [id, { act, path, children }] of seen.calls) {
    if (act !== 'write' || path !== 'denied.txt' || children.length > 0) continue;
    const origin = ends.get(id)?.origin ?? 'host';
    if (!origin.startsWith('host') && ran.includes(id)) yield `I2: ${id} was denied and ran`;
  }
}

/** I3: evidence measures exactly what the caller got, within the bound. */
function* isMeasured(seen: Seen): Generator<string> {
  const measured: readonly Pick<ToolResult, 'id' | 'output' | 'metadata'>[] = [
    ...(seen.results ?? []),
    ...ofType(seen, 'tool_end'),
  ];
  for (const { id, output, metadata } of measured) {
    const bytes = new TextEncoder().encode(output);
    if (bytes.length > 102_400) yield `I3: ${id} has ${bytes.length} bytes`;
    const evidence = new Map(Object.entries(metadata['a3s_tool_result_evidence'] ?? {}));
    if (evidence.get('projected_bytes') !== bytes.length) yield `I3: ${id} is measured wrongly`;
    if (evidence.get('projected_digest') !== `sha256:${sha256Hex(bytes)}`) {
      yield `I3: ${id} has the digest of something else`;
    }
  }
}

/** I5: a child is the host's only where its parent is, by a tool that the host trusts. */
function* hasOrigins(seen: Seen): Generator<string> {
  const starts = new Map(ofType(seen, 'tool_start').map((event) => [event.invocation_id, event]));
  for (const { invocation_id: id, parent_id: parentId, origin } of starts.values()) {
    const parent = parentId === null ? undefined : starts.get(parentId);
    if (parent === undefined) {
      if (origin !== 'agent' && origin !== 'host') yield `I5: ${id} has no parent and is ${origin}`;
      continue;
    }
    const trusted = parent.origin.startsWith('host') && /^group[02468]$/.test(parent.name);
    if (origin !== (trusted ? 'host-nested' : 'nested')) yield `I5: ${id} is ${origin}`;
    if (!id.startsWith(`${parentId}.`)) yield `I5: ${id} is no child of ${parentId}`;
  }
}

const stages = ['tool_start', 'tool_request_bound', 'tool_execution_start', 'tool_end'];

/** I6: what came to run passed every stage before, whoever called it, and what it reserved was settled. */
function* passesStages(seen: Seen): Generator<string> {
  const { asked } = seen;
  for (const { invocation_id: id, origin } of ofType(seen, 'tool_execution_start')) {
    if (!asked.before.has(id)) yield `I6: ${id} passed no before-hook`;
    if (!asked.checked.has(id)) yield `I6: ${id} passed no budget`;
    for (const counts of ['reserved', 'settled', 'after'] as const) {
      if (asked[counts].get(id) !== 1) yield `I6: ${id} ${counts} ${asked[counts].get(id)} times`;
    }
    const own = seen.events.filter((event) => event.invocation_id === id);
    // Arguments that a person changed are bound once more.
    const passed = own
      .map(({ type }) => type)
      .filter((type) => stages.includes(type))
      .filter((type, index, all) => type !== all[index - 1]);
    if (passed.join() !== stages.join()) yield `I6: ${id} passed ${passed.join()}`;
    const isAsked = own.some(
      (event) =>
        event.type === 'tool_request_bound' &&
        event.snapshot.effects.some(({ kind }) => kind === 'write' || kind === 'net'),
    );
    const isConfirmed = own.some(({ type }) => type === 'confirmation_received');
    if (isAsked && !origin.startsWith('host') && !isConfirmed) yield `I6: ${id} was not confirmed`;
  }
}

/** I7: nothing but what was cancelled is cancelled, and nothing is left. */
function* leavesNothing(seen: Seen, plan: Plan): Generator<string> {
  if (seen.closed === 'stalled') yield 'I7: closing never ended';
  if (seen.snapshot === 'stalled') yield 'I7: the snapshot never came';
  if (seen.listeners > 0) yield `I7: ${seen.listeners} listeners were left`;
  if (!seen.probed) yield 'I7: a lock was left';
  if (seen.timers > 0) yield `I7: ${seen.timers} timers were left`;
  for (const { invocation_id: id, state } of ofType(seen, 'tool_end')) {
    const root = plan.roots[Number(id.slice(1).split('.')[0])];
    if (state === 'cancelled' && !seen.stalled && root?.cancelAfter === undefined) {
      yield `I7: ${id} was cancelled by nobody`;
    }
  }
}

/** I8: no two calls that write the same run at once; where a path leads is the workspace's word. */
function* runsAlone(seen: Seen, plan: Plan): Generator<string> {
  if (plan.faults.some(({ place, manner }) => place === 'resolvePath' && manner === 'lie')) return;
  for (const id of seen.doings.overlaps) yield `I8: ${id} ran beside one that touches the same`;
}

/** I9: only a person may take as long as they like. */
function* neverStalls(seen: Seen): Generator<string> {
  const isPatient = seen.world.happened.has('approver') || seen.world.happened.has('asker');
  if (seen.stalled && !isPatient) yield 'I9: the schedule stalled';
}
