import { createHost, type PolicyInput } from '@toolwright/core';
import { fs } from '@toolwright/tool-fs';
import { localWorkspace } from '@toolwright/workspace-local';
import { chooseModel } from './choose-model.ts';
import type { DemoOptions } from './demo-options.ts';
import type { DemoView } from './demo-view.ts';
import { prepareWorkspace } from './prepare-workspace.ts';
import { runAgent } from './run-agent.ts';
import { indent, Summary } from './summary.ts';

/** What the agent may do in the copy when nobody is there to ask: its sources, its notes, its tests. */
const copyPolicy: PolicyInput = {
  preset: 'guarded',
  allow: ['write:src/**', 'write:NOTES.md', 'exec:node --test'],
};

/**
 * Lets an agent do the task, shows each call, and ends with a summary. Resolves to the exit code: 0 when the job is
 * done, 1 when it is not.
 */
export async function runDemo(
  options: DemoOptions,
  view: DemoView,
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const { model, label } = await chooseModel(options, env);
  const place = prepareWorkspace(options.workspace, env['INIT_CWD'] ?? process.cwd());
  const isGuided = view.canAsk || !place.isCopy;
  const host = createHost({
    providers: [fs()],
    policy: isGuided ? { preset: 'guarded' } : copyPolicy,
    secrets: ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY'].flatMap((name) => env[name] || []),
  });
  try {
    const session = await host.open({ workspace: localWorkspace(place.directory) });
    const summary = new Summary();
    const events = session.events();
    const watching = (async () => {
      for await (const event of events) {
        summary.add(event);
        view.event(event);
      }
    })();
    try {
      view.line(`Model      ${label}`);
      view.line(`Workspace  ${place.isCopy ? 'a copy of the sample project' : place.directory}`);
      view.line(`Task       ${options.task}`);
      await runAgent({
        session,
        model,
        task: options.task,
        maxSteps: options.maxSteps,
        view,
      });
      const changed = await session.undoable();
      events.close();
      await watching;
      summary.print(view);
      await showDiff(session, view);
      if (!place.isCopy) return 0;
      const tests = await session.bash('node --test', { timeoutMs: 60_000 });
      const done = tests.metadata['exit_code'] === 0 && changed.length > 0;
      view.line(
        done
          ? '\nThe job is done: the tests of the project pass.'
          : `\nThe job is NOT done: the tests of the project fail.\n${indent(tests.output)}`,
      );
      return done ? 0 : 1;
    } finally {
      await session.close();
    }
  } finally {
    place.clean();
  }
}

async function showDiff(
  session: {
    readonly git: (
      command: string,
    ) => Promise<{ readonly output: string; readonly exit_code: number }>;
  },
  view: DemoView,
): Promise<void> {
  const diff = await session.git('diff');
  if (diff.exit_code !== 0 || diff.output.trim() === '') return;
  view.line('\nDiff');
  view.line(indent(diff.output));
}
