import {
  commandList,
  optionList,
  type OptionDescription,
  type OptionName,
} from './command-list.ts';

/** How the command line is used, in all. */
export const usage = `Usage: toolwright <command> [options]

  tools [NAME…] [--all] [--json]              list the tools; --all with hidden, deferred and absent ones and why
  tools [NAME…] --types [--json]              the same with their arguments, as TypeScript declarations
  call TOOL [JSON | -] [--json] [--events]    call one tool; arguments as JSON, or - to read them from stdin
       [--as host|agent] [--yes] [--timeout MS]
  call --jsonl [--as host|agent] [--yes]      one session: a line {"id"?, "name", "arguments"} in, a result line out
  explain TOOL [JSON | -] [--json]            what policy says of an agent's call, and which rules; nothing is run
  mcp [--http PORT]                           serve the tools to MCP clients, over stdio or HTTP
  servers [SERVER…] [--json]                  where the configured MCP servers stand, and which tools they changed
  accept SERVER [TOOL…] [--json]              accept tools of an MCP server as it describes them now
  undo [CALL-ID] [--json]                     put back what a call changed; without an id, list what can be undone
  new NAME [--json]                           begin a tool package of your own in a folder of that name
  check [DIR] [--json]                        run the conformance suite on a tool package

Options of the commands that open a session:
  --workspace DIR    what the tools work on (default: the current directory)
  --config FILE      a toolwright.config.json (default: the one in your own config directory, if any)
  --provider NAME    a further tool package; can be repeated
  --help, --version  of a command: toolwright COMMAND --help`;

/** How one command is used; how all are where there is no such command. */
export function helpFor(command: string): string {
  const described = Object.hasOwn(commandList, command) ? commandList[command] : undefined;
  if (described === undefined) return usage;
  const { forms, about, options, examples } = described;
  const rows = [...options, 'help' as const].map((name) => [written(name), optionList[name].about]);
  const width = Math.max(...rows.map(([left = '']) => left.length));
  return [
    ...forms.map((form, index) => `${index === 0 ? 'Usage:' : '      '} toolwright ${form}`),
    '',
    about,
    '',
    'Options:',
    ...rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`),
    '',
    'Examples:',
    ...examples.map((example) => `  toolwright ${example}`),
  ].join('\n');
}

function written(name: OptionName): string {
  const { value }: OptionDescription = optionList[name];
  return `--${name}${value === undefined ? '' : ` ${value}`}`;
}
