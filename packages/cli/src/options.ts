import { parseArgs } from 'node:util';
import { commandList, optionList } from './command-list.ts';
import { UsageError } from './usage-error.ts';

/** The command line, read. */
export interface Options {
  readonly command: string;
  readonly positionals: readonly string[];
  readonly workspace: string | undefined;
  readonly config: string | undefined;
  readonly providers: readonly string[];
  readonly as: 'host' | 'agent' | undefined;
  readonly yes: boolean;
  readonly json: boolean;
  readonly jsonl: boolean;
  readonly events: boolean;
  readonly all: boolean;
  readonly types: boolean;
  readonly help: boolean;
  readonly version: boolean;
  /** The port to serve on; 0 for any that is free. */
  readonly http: number | undefined;
  /** Milliseconds for one call. */
  readonly timeoutMs: number | undefined;
}

/** Reads the command line. Errors: `UsageError`. */
export function parseOptions(argv: readonly string[]): Options {
  const { values, positionals } = parse(argv);
  const as = values.as;
  if (as !== undefined && as !== 'host' && as !== 'agent') {
    throw new UsageError(`--as takes host or agent, not ${JSON.stringify(as)}.`);
  }
  const [command = '', ...rest] = positionals;
  return {
    command,
    positionals: rest,
    workspace: values.workspace,
    config: values.config,
    providers: values.provider ?? [],
    as,
    yes: values.yes ?? false,
    json: values.json ?? false,
    jsonl: values.jsonl ?? false,
    events: values.events ?? false,
    all: values.all ?? false,
    types: values.types ?? false,
    help: values.help ?? false,
    version: values.version ?? false,
    http: values.http === undefined ? undefined : toPort(values.http),
    timeoutMs: values.timeout === undefined ? undefined : toMilliseconds(values.timeout),
  };
}

function parse(argv: readonly string[]) {
  assertKnown(argv);
  try {
    return parseArgs({ args: [...argv], allowPositionals: true, options: optionList });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** An option that the command does not take would be a wish that nobody hears. Errors: `UsageError`. */
function assertKnown(argv: readonly string[]): void {
  const { tokens, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: optionList,
    strict: false,
    tokens: true,
  });
  const [command = ''] = positionals;
  const described = Object.hasOwn(commandList, command) ? commandList[command] : undefined;
  const taken: readonly string[] = ['help', 'version', ...(described?.options ?? [])];
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName } = token;
    if (!Object.hasOwn(optionList, name)) {
      const known = described === undefined ? Object.keys(optionList) : taken;
      throw new UsageError(`There is no option ${rawName}`, { name, known, prefix: '--' });
    }
    if (described !== undefined && !taken.includes(name)) {
      throw new UsageError(`${command} takes no option --${name}.`);
    }
  }
}

function toMilliseconds(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value <= 0) {
    throw new UsageError(
      `--timeout takes a whole number of milliseconds, not ${JSON.stringify(text)}.`,
    );
  }
  return value;
}

function toPort(text: string): number {
  const value = Number(text);
  if (!/^\d{1,5}$/.test(text) || value > 65_535) {
    throw new UsageError(`--http takes a port from 0 to 65535, not ${JSON.stringify(text)}.`);
  }
  return value;
}
