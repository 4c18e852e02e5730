import { findOverrun } from './find-overrun.ts';

/** A call that was made, and what the tool answered. */
export interface Observation {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly ok: boolean;
}

/** What to do next: a call, or nothing more. */
export interface Plan {
  readonly thought: string;
  readonly call?: { readonly name: string; readonly arguments: object };
}

const testCommand = 'node --test';

/** Decides the next step from the answers so far, and from nothing else. */
export function decide(observations: readonly Observation[]): Plan {
  const listing = observations.find(({ name }) => name === 'ls');
  if (listing === undefined) {
    return {
      thought: 'First, what is there.',
      call: { name: 'ls', arguments: { path: '', depth: 3 } },
    };
  }
  if (!listing.ok) return stop('The project cannot be listed', listing);
  const runs = observations.filter(({ name }) => name === 'bash');
  const edits = observations.filter(
    ({ name, input }) => name === 'edit' && input['dry_run'] !== true,
  );
  const [firstRun] = runs;
  if (firstRun === undefined) {
    return {
      thought: 'Then, how the tests fail.',
      call: { name: 'bash', arguments: { command: testCommand, timeout: 60_000 } },
    };
  }
  if (edits.length === 0 && passes(firstRun))
    return { thought: 'The tests pass: there is nothing to mend.' };
  const sources = filesIn(listing.text).filter((path) => /^src\/.*\.[cm]?[jt]s$/.test(path));
  const unread = sources.filter((path) => !wasRead(observations, path));
  const found = observations
    .filter(({ name, ok }) => name === 'read' && ok)
    .map(({ input, text }) => ({ path: String(input['file_path']), overrun: findOverrun(text) }))
    .find(({ overrun }) => overrun !== undefined);
  if (found?.overrun === undefined) {
    const [next] = unread;
    return next === undefined
      ? {
          thought:
            'I have read every source file and found no loop that runs past the end; I give up.',
        }
      : { thought: `Is it in ${next}?`, call: { name: 'read', arguments: { file_path: next } } };
  }
  const { path, overrun } = found;
  const edit = { file_path: path, old_string: overrun.line, new_string: overrun.mended };
  const dryRun = observations.find(
    ({ name, input }) => name === 'edit' && input['dry_run'] === true,
  );
  if (dryRun === undefined) {
    return {
      thought: `Line ${overrun.number} of ${path} runs one past the end. What would a change do?`,
      call: { name: 'edit', arguments: { ...edit, dry_run: true } },
    };
  }
  if (!dryRun.ok) return stop('The change does not fit', dryRun);
  const [applied] = edits;
  if (applied === undefined) {
    return { thought: 'Exactly one place. I make it.', call: { name: 'edit', arguments: edit } };
  }
  if (!applied.ok) return stop('The change was refused', applied);
  const [, secondRun] = runs;
  if (secondRun === undefined) {
    return {
      thought: 'Do the tests pass now?',
      call: { name: 'bash', arguments: { command: testCommand, timeout: 60_000 } },
    };
  }
  if (!passes(secondRun)) return stop('The tests still fail', secondRun);
  return noteIt(observations, `${path}: the loop no longer runs one past the end`);
}

/** Reads the notes, and writes them back with a line more. */
function noteIt(observations: readonly Observation[], line: string): Plan {
  const notes = observations.find(
    ({ name, input }) => name === 'read' && input['file_path'] === 'NOTES.md',
  );
  if (notes === undefined) {
    return {
      thought: 'Now the notes.',
      call: { name: 'read', arguments: { file_path: 'NOTES.md' } },
    };
  }
  const written = observations.find(({ name }) => name === 'write');
  if (written === undefined) {
    const content = `${withoutNumbers(notes.text).join('\n').trimEnd()}\n- next: ${line}.\n`;
    return {
      thought: 'One line more.',
      call: { name: 'write', arguments: { file_path: 'NOTES.md', content } },
    };
  }
  if (!written.ok) return stop('The notes could not be written', written);
  const diff = observations.find(({ name }) => name === 'git');
  if (diff === undefined) {
    return {
      thought: 'What have I changed in all?',
      call: { name: 'git', arguments: { command: 'diff' } },
    };
  }
  return { thought: `Done: ${line}, the tests pass, and NOTES.md says so.` };
}

function stop(what: string, { text }: Observation): Plan {
  return { thought: `${what}: ${text.slice(0, 500)}` };
}

/** Whether a run of node's test runner passed; it ends its report with the counts. */
function passes({ text, ok }: Observation): boolean {
  return ok && /^(?:#|ℹ) fail 0$/m.test(text);
}

/** Paths of a listing: what stands before the tab, directories left out. */
function filesIn(listing: string): readonly string[] {
  return listing
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '')
    .filter((path) => path !== '' && !path.endsWith('/'));
}

function wasRead(observations: readonly Observation[], path: string): boolean {
  return observations.some(({ name, input }) => name === 'read' && input['file_path'] === path);
}

function withoutNumbers(text: string): readonly string[] {
  return text.split('\n').map((line) => line.replace(/^ *\d+\t/, ''));
}
