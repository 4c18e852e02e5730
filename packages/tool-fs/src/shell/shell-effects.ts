import { ToolError, type DescribeWorkspace, type Effect } from '@toolwright/core';
import { joinPath } from './directory-set.ts';
import { loadShellGrammar } from './parse-shell.ts';
import { analyseShell } from './shell-analysis.ts';

/** A command line and how it would run. */
export interface ShellCommand {
  readonly line: string;
  /** Workspace directory it starts in. */
  readonly cwd: string;
  /** It runs in the sandbox, which keeps what lies outside the workspace from being touched. */
  readonly confined: boolean;
}

/**
 * The effects of a command line: one `exec` a simple command, one `write` or `read` a redirection, `net` for
 * a redirection to the network, and `unknown` for every piece that cannot be told, a whole PowerShell
 * line among them.
 */
export async function shellEffects(
  command: ShellCommand,
  workspace: DescribeWorkspace,
): Promise<readonly Effect[]> {
  if (workspace.processes?.shell === 'powershell') {
    return [{ kind: 'unknown', target: command.line }];
  }
  const analysis = analyseShell(await loadShellGrammar(), command.line);
  const effects: Effect[] = analysis.commands.map((target) => ({ kind: 'exec', target }));
  const files = [
    ...analysis.writes.map((path) => ({ kind: 'write' as const, path })),
    ...analysis.reads.map((path) => ({ kind: 'read' as const, path })),
  ];
  for (const { kind, path } of files) {
    const effect = await fileEffect(
      kind,
      path.startsWith('/') ? path : joinPath(command.cwd, path),
      {
        workspace,
        confined: command.confined,
      },
    );
    if (effect !== null) effects.push(effect);
  }
  for (const target of analysis.connections) effects.push({ kind: 'net', target });
  for (const target of analysis.unclear) effects.push({ kind: 'unknown', target });
  // Starting a shell is itself an execution; one that runs nothing but redirections is the builtin that does nothing.
  const runs = effects.some(({ kind }) => kind === 'exec' || kind === 'unknown');
  if (!runs) effects.push({ kind: 'exec', target: ':' });
  return distinct(effects);
}

async function fileEffect(
  kind: 'read' | 'write',
  path: string,
  place: { readonly workspace: DescribeWorkspace; readonly confined: boolean },
): Promise<Effect | null> {
  try {
    const target = await place.workspace.resolvePath(path);
    // A name with glob characters would be taken for a pattern.
    return /[*?[{]/.test(target) ? { kind, target: '**' } : { kind, target };
  } catch (error) {
    const reason = ToolError.isInstance(error) ? error.reason : undefined;
    // The kernel resolves the target again and refuses the call with the workspace's own error.
    if (reason === 'credential') return { kind, target: path };
    if (reason === 'outside_workspace' && place.confined) return null;
    // Outside, or behind a directory that the command itself would have to make first.
    return { kind: 'unknown', target: `${kind} ${path}` };
  }
}

function distinct(effects: readonly Effect[]): readonly Effect[] {
  const seen = new Set<string>();
  return effects.filter(({ kind, target }) => {
    const key = `${kind}\0${target}`;
    const first = !seen.has(key);
    seen.add(key);
    return first;
  });
}
