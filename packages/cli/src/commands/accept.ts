import { openServers } from '../open-servers.ts';
import type { Options } from '../options.ts';
import { writeLine, type Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

/**
 * `toolwright accept SERVER [TOOL…]`: the tools of an MCP server, or those named, as they are defined now are the known
 * ones from here on. Asks nothing. Exit code 1 where the server cannot be reached.
 */
export async function accept(options: Options, terminal: Terminal): Promise<number> {
  const [name, ...tools] = options.positionals;
  if (name === undefined) throw new UsageError('accept needs the name of an MCP server.');
  const opened = await openServers([name], { options, terminal });
  try {
    const [server] = opened.servers;
    if (server?.state !== 'ready') {
      const message = `The MCP server ${name} is ${server?.state ?? 'failed'}: ${server?.reason ?? 'it lists no tools'}`;
      if (options.json) {
        const error = { type: 'transport', reason: 'server_unavailable', stage: 'run', message };
        await writeLine(
          terminal.stdout,
          JSON.stringify({ server: name, accepted: [], error: { ...error, retryable: true } }),
        );
      } else await writeLine(terminal.stderr, message);
      return 1;
    }
    const accepted = await opened.accept(name, tools.length === 0 ? undefined : tools);
    await writeLine(
      terminal.stdout,
      options.json
        ? JSON.stringify({ server: name, accepted, error: null })
        : accepted.length === 0
          ? `Nothing has changed in the tools of ${name}.`
          : accepted.map((tool) => `accepted ${tool}`).join('\n'),
    );
    return 0;
  } finally {
    await opened.close();
  }
}
