/** Wrong usage of the command: told on stderr, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** How the command is used. */
export const usage = `Usage: toolwright <command> [options]

  tools [NAME…] [--all] [--json]              list the tools; --all with hidden, deferred and absent ones and why
  tools [NAME…] --types [--json]              the same with their arguments, as TypeScript declarations
  call TOOL [JSON | -] [--json] [--events]    call one tool; arguments as JSON, or - to read them from stdin
       [--as host|agent] [--yes] [--timeout MS]
  call --jsonl [--as host|agent] [--yes]      one session: a line {"id"?, "name", "arguments"} in, a result line out
  explain TOOL [JSON | -] [--json]            what policy says of an agent's call, and which rules; nothing is run
  mcp [--http PORT]                           serve the tools to MCP clients, over stdio or HTTP
  undo [CALL-ID] [--json]                     put back what a call changed; without an id, list what can be undone
  new NAME [--json]                           begin a tool package of your own in a folder of that name
  check [DIR] [--json]                        run the conformance suite on a tool package

Options of the commands that open a session:
  --workspace DIR    what the tools work on (default: the current directory)
  --config FILE      a toolwright.config.json (default: the one in your own config directory, if any)
  --provider NAME    a further tool package; can be repeated
  --help, --version`;
