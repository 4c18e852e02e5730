/** An option of the command line, as `parseArgs` of Node takes it, and what help says of it. */
export interface OptionDescription {
  readonly type: 'boolean' | 'string';
  readonly multiple?: boolean;
  readonly short?: string;
  /** What its value is, in capitals. */
  readonly value?: string;
  readonly about: string;
}

/** Every option there is. */
export const optionList = {
  all: { type: 'boolean', about: 'also hidden, deferred and absent tools, with the reason' },
  types: { type: 'boolean', about: 'the arguments of the tools, as TypeScript declarations' },
  as: {
    type: 'string',
    value: 'host|agent',
    about: 'whose call it is: host (the default) is you, without policy; agent is under policy',
  },
  yes: { type: 'boolean', about: 'approves whatever policy asks' },
  timeout: { type: 'string', value: 'MS', about: 'milliseconds that a call may run' },
  jsonl: {
    type: 'boolean',
    about: 'one session: a line {"id"?, "name", "arguments"} in, a result line out',
  },
  events: { type: 'boolean', about: 'events as JSON lines on standard error' },
  http: { type: 'string', value: 'PORT', about: 'over HTTP on this machine; 0 for any free port' },
  json: { type: 'boolean', about: 'exactly one JSON object on standard output' },
  workspace: {
    type: 'string',
    value: 'DIR',
    about: 'what the tools work on (default: the current directory)',
  },
  config: {
    type: 'string',
    value: 'FILE',
    about: 'a toolwright.config.json (default: the one in your own config directory, if any)',
  },
  provider: {
    type: 'string',
    multiple: true,
    value: 'NAME',
    about: 'a further tool package; can be repeated',
  },
  help: { type: 'boolean', short: 'h', about: 'this help' },
  version: { type: 'boolean', about: 'the version of toolwright' },
} as const satisfies Readonly<Record<string, OptionDescription>>;

/** The name of an option. */
export type OptionName = keyof typeof optionList;

/** A command of the command line. */
export interface CommandDescription {
  /** How it is written, a form each. */
  readonly forms: readonly string[];
  readonly about: string;
  readonly options: readonly OptionName[];
  readonly examples: readonly string[];
}

const session: readonly OptionName[] = ['workspace', 'config', 'provider'];

/** Every command there is. */
export const commandList: Readonly<Record<string, CommandDescription>> = {
  tools: {
    forms: ['tools [NAME…] [--all] [--json]', 'tools [NAME…] --types [--json]'],
    about: 'Lists the tools, or those that are named.',
    options: ['all', 'types', 'json', ...session],
    examples: ['tools --all', 'tools read edit --types'],
  },
  call: {
    forms: ['call TOOL [JSON | -] [options]', 'call --jsonl [options]'],
    about:
      'Calls one tool, with its arguments as a JSON object (- reads it from standard input), or many in one session.\nExits with the exit_code of the result; 2 for wrong usage, 130 when interrupted.',
    options: ['as', 'yes', 'timeout', 'jsonl', 'events', 'json', ...session],
    examples: [
      `call read '{"file_path":"package.json"}'`,
      `call bash '{"command":"npm test"}' --as agent --json`,
      'call --jsonl < calls.jsonl',
    ],
  },
  explain: {
    forms: ['explain TOOL [JSON | -] [--json]'],
    about:
      'Tells what policy says of an agent’s call, effect by effect, and which rules say it. Nothing is run.',
    options: ['json', ...session],
    examples: [`explain bash '{"command":"git push"}'`],
  },
  mcp: {
    forms: ['mcp [--http PORT]'],
    about:
      'Serves the tools to MCP clients, over standard input and output or over HTTP. Every call is an agent’s: policy applies.\nOver HTTP, clients send TOOLWRIGHT_MCP_TOKEN as their bearer token where that variable is set.',
    options: ['http', 'yes', 'as', ...session],
    examples: ['mcp --workspace .', 'mcp --http 3000'],
  },
  servers: {
    forms: ['servers [SERVER…] [--json]'],
    about:
      'Tells where the configured MCP servers stand, and what has changed in the definitions of their tools since you\nfirst saw or accepted them. Exits with 1 where a server failed or has changed definitions.',
    options: ['json', 'workspace', 'config'],
    examples: ['servers', 'servers github --json'],
  },
  accept: {
    forms: ['accept SERVER [TOOL…] [--json]'],
    about:
      'Accepts the tools of an MCP server, or those that are named (by the server’s names or by ours), as the server\ndescribes them now. Look at them first: toolwright servers SERVER. Asks nothing.',
    options: ['json', 'workspace', 'config'],
    examples: ['accept github', 'accept github create_issue'],
  },
  undo: {
    forms: ['undo [CALL-ID] [--json]'],
    about: 'Puts back what a call changed; without an id, lists what can be undone.',
    options: ['json', ...session],
    examples: ['undo', 'undo call-1'],
  },
  new: {
    forms: ['new NAME [--json]'],
    about: 'Begins a tool package of your own in a folder of that name.',
    options: ['json'],
    examples: ['new @acme/tool-weather'],
  },
  check: {
    forms: ['check [DIR] [--json]'],
    about: 'Runs the conformance suite on a tool package. Exits with 1 where a check fails.',
    options: ['json'],
    examples: ['check', 'check packages/tool-weather --json'],
  },
};
