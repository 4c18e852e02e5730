import {
  createHost,
  type PolicyInput,
  type Session,
  type VerificationReport,
} from '@toolwright/core';
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
      const report = (await session.undoable()).length === 0 ? undefined : await verify(session);
      events.close();
      await watching;
      summary.print(view);
      await showDiff(session, view);
      // A question about one's own project changes nothing, and not every project names checks.
      if (!place.isCopy && (report?.checks.length ?? 0) === 0) {
        view.line('\nThere was nothing to verify.');
        return 0;
      }
      showReport(report, view);
      return session.verification.isVerified() ? 0 : 1;
    } finally {
      await session.close();
    }
  } finally {
    place.clean();
  }
}

/** Runs the checks that the project itself names as required. */
async function verify(session: Session): Promise<VerificationReport> {
  const checks = (await session.verification.presets()).filter(({ required }) => required === true);
  return session.verifyCommands('the change', checks);
}

function showReport(report: VerificationReport | undefined, view: DemoView): void {
  if (report === undefined) {
    view.line('\nThe job is NOT done: nothing was changed.');
    return;
  }
  view.line('\nVerification');
  view.line(indent(JSON.stringify(report, null, 2)));
  view.line(
    report.status === 'passed'
      ? '\nThe job is done and verified: the checks of the project pass.'
      : `\nThe job is NOT done: the checks of the project came out as ${report.status}.`,
  );
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
