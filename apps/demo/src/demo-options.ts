import { parseArgs } from 'node:util';

/** What the demo is asked to do. */
export interface DemoOptions {
  /** The user's own project; absent: a copy of the sample. */
  readonly workspace: string | undefined;
  readonly task: string;
  /** An OpenAI-compatible server. */
  readonly baseUrl: string | undefined;
  readonly model: string | undefined;
  /** Steps of the agent, at most. */
  readonly maxSteps: number;
  readonly help: boolean;
}

/** How the demo is used. */
export const demoUsage = `Usage: npm start -- [options]

Without options an agent mends a copy of a small project that has a failing test.

  --workspace DIR   work on your own project instead (needs a model and --task)
  --task "…"        what to do there
  --model ID        the model to use
  --base-url URL    an OpenAI-compatible server; else OPENAI_API_KEY or ANTHROPIC_API_KEY choose the model,
                    and without any key a small planner that comes with the demo does the job
  --max-steps N     default 24`;

const sampleTask =
  'The tests of this project fail. Find out why, mend the cause, run the tests, and add a line about it to NOTES.md.';

/** Reads the command line. Errors: `TypeError` with what is wrong. */
export function parseDemoOptions(argv: readonly string[]): DemoOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      workspace: { type: 'string' },
      task: { type: 'string' },
      model: { type: 'string' },
      'base-url': { type: 'string' },
      'max-steps': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.workspace !== undefined && values.task === undefined && values.help !== true) {
    throw new TypeError('--workspace needs --task: say what is to be done there.');
  }
  const maxSteps = Number(values['max-steps'] ?? 24);
  if (!Number.isSafeInteger(maxSteps) || maxSteps < 1) {
    throw new TypeError('--max-steps takes a whole number from 1.');
  }
  return {
    workspace: values.workspace,
    task: values.task ?? sampleTask,
    baseUrl: values['base-url'],
    model: values.model,
    maxSteps,
    help: values.help ?? false,
  };
}
