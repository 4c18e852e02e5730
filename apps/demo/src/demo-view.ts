import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import type { ToolEvent } from '@toolwright/core';

/** Where the demo shows what happens, and asks. */
export class DemoView {
  readonly canAsk: boolean;
  readonly #input: Readable;
  readonly #output: Writable;

  constructor(
    input: Readable & { readonly isTTY?: boolean },
    output: Writable & { readonly isTTY?: boolean },
  ) {
    this.#input = input;
    this.#output = output;
    this.canAsk = input.isTTY === true && output.isTTY === true;
  }

  line(text: string): void {
    this.#output.write(`${text}\n`);
  }

  thought(text: string): void {
    if (text.trim() !== '') this.line(`\n  ${printable(text.trim())}`);
  }

  event(event: ToolEvent): void {
    switch (event.type) {
      case 'tool_execution_start':
        this.line(`  → ${event.name} ${short(JSON.stringify(event.args), 100)}`);
        break;
      case 'tool_output_delta':
        for (const row of event.delta.split('\n').slice(0, 3)) {
          if (row.trim() !== '') this.line(`    │ ${short(row, 100)}`);
        }
        break;
      case 'tool_progress':
        if (event.message !== undefined) this.line(`    … ${short(event.message, 100)}`);
        break;
      case 'permission_denied':
        this.line(`    ✗ ${short(event.reason, 100)}`);
        break;
      case 'tool_end':
        this.line(
          `    ${event.exit_code === 0 ? '✓' : '✗'} ${event.state}, ${short(firstLine(event.output), 80)}`,
        );
        break;
      default:
        break;
    }
  }

  /** Asks the person at the terminal about one call. */
  async ask(tool: string, input: unknown): Promise<boolean> {
    const prompt = createInterface({ input: this.#input, output: this.#output });
    try {
      const answer = await prompt.question(
        `\n  Allow ${tool} ${short(JSON.stringify(input), 400)}? [y/N] `,
      );
      return /^y(es)?$/i.test(answer.trim());
    } finally {
      prompt.close();
    }
  }
}

/** Control characters of foreign text must not steer the terminal. */
export function printable(text: string): string {
  return text.replaceAll(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function short(text: string, length: number): string {
  const flat = printable(text.replaceAll('\n', '⏎'));
  return flat.length <= length ? flat : `${flat.slice(0, length - 1)}…`;
}

function firstLine(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '') ?? '';
}
