import { isJsonObject, type JsonObject, type JsonValue, type ToolEvent } from '@toolwright/core';
import { printable, type DemoView } from './demo-view.ts';

/** Gathers what a session did from its events. */
export class Summary {
  readonly #calls: (ToolEvent & { readonly type: 'tool_end' })[] = [];
  #asked = 0;
  #denied = 0;

  add(event: ToolEvent): void {
    if (event.type === 'tool_end') this.#calls.push(event);
    if (event.type === 'confirmation_received') this.#asked += 1;
    if (event.type === 'permission_denied') this.#denied += 1;
  }

  /** Prints calls, decisions, bytes before and after projection, and one result's evidence. */
  print(view: DemoView): void {
    const evidence = this.#calls.map(({ metadata }) => evidenceOf(metadata));
    const sum = (key: string): number =>
      evidence.reduce((total, one) => total + toNumber(one[key]), 0);
    view.line('\nSummary');
    view.line(
      `  calls      ${this.#calls.length}: ${countBy(this.#calls.map(({ name }) => name))}`,
    );
    view.line(`  states     ${countBy(this.#calls.map(({ state }) => state))}`);
    view.line(
      `  decisions  ${this.#asked} asked, ${this.#denied} denied, the rest allowed by policy`,
    );
    view.line(
      `  output     ${sum('original_bytes')} bytes from tools, ${sum('projected_bytes')} bytes to the model`,
    );
    const last = this.#calls.findLast(({ name }) => name === 'edit') ?? this.#calls.at(-1);
    if (last !== undefined) {
      view.line(`\nEvidence of ${last.id} (${last.name})`);
      view.line(indent(JSON.stringify(evidenceOf(last.metadata), null, 2)));
    }
  }
}

/** Indents a text by two blanks, control characters shown as escapes. */
export function indent(text: string): string {
  return printable(text.trimEnd())
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}

function evidenceOf(metadata: JsonObject): JsonObject {
  const evidence = metadata['a3s_tool_result_evidence'];
  return isJsonObject(evidence) ? evidence : {};
}

function toNumber(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}

function countBy(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
}
