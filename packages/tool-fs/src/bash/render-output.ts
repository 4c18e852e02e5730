import type { BackgroundProcess, JsonObject, ProcessExit } from '@toolwright/core';
import type { CapturedStream } from '../capture/stream-capture.ts';
import type { RunningCommand } from './running-command.ts';
import { shortLine } from './short-line.ts';

/** Bytes kept free for the lines that say how the command ended. */
const notesBytes = 2_048;

/** Bytes of each stream in `structured`. */
const structuredBytes = 24_576;

/** The two streams of a command as text, and as facts for the metadata. */
export interface RenderedOutput {
  readonly text: string;
  readonly stdout: JsonObject;
  readonly stderr: JsonObject;
  readonly structured: { readonly stdout: string; readonly stderr: string };
}

/** Renders what was captured so that it fits into the output: standard output, then standard error. */
export async function renderOutput(
  command: RunningCommand,
  maxOutputBytes: number,
): Promise<RenderedOutput> {
  const kept = { stdout: await command.stdout.finish(), stderr: await command.stderr.finish() };
  const room = Math.max(maxOutputBytes - notesBytes, 512);
  const marker = (name: 'stdout' | 'stderr') => (omitted: number) => {
    const { uri, notRetained } = kept[name];
    const where =
      uri === null
        ? notRetained === undefined
          ? ''
          : `; the whole could not be kept: ${notRetained}`
        : `; read the whole at ${uri}`;
    return `\n[${omitted} bytes of ${name} left out${where}]\n`;
  };
  // A short stream leaves its share to the other one.
  const errorRoom = Math.max(Math.floor(room / 3), room - command.stdout.bytes);
  const stderr = command.stderr.render(errorRoom, marker('stderr'));
  const stdout = command.stdout.render(room - Buffer.byteLength(stderr.text), marker('stdout'));
  return {
    text: joinStreams(stdout.text, stderr.text),
    stdout: describeStream(stdout, kept.stdout),
    stderr: describeStream(stderr, kept.stderr),
    structured: {
      stdout: command.stdout.render(structuredBytes, marker('stdout')).text,
      stderr: command.stderr.render(structuredBytes, marker('stderr')).text,
    },
  };
}

function joinStreams(stdout: string, stderr: string): string {
  if (stderr === '') return stdout;
  if (stdout === '') return stderr;
  return `${withNewline(stdout)}[stderr]\n${stderr}`;
}

/** Adds a line that says something about the output. */
export function withNote(text: string, note: string): string {
  return `${withNewline(text)}[${note}]\n`;
}

/** How a command ended, for a note; null where there is nothing to say. */
export function describeExit({ exitCode, signal }: ProcessExit): string | null {
  if (signal !== null) return `ended by ${signal}`;
  return exitCode === 0 ? null : `exit code ${exitCode ?? 'unknown'}`;
}

/** Processes for a note. */
export function describeProcesses(processes: readonly BackgroundProcess[]): string {
  const shown = processes.slice(0, 5).map(({ pid, command }) => `${pid} ${shortLine(command)}`);
  const more =
    processes.length > shown.length ? `, and ${processes.length - shown.length} more` : '';
  return `${shown.join('; ')}${more}`;
}

function withNewline(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function describeStream(
  stream: CapturedStream,
  kept: { readonly uri: string | null; readonly notRetained?: string },
): JsonObject {
  return {
    bytes: stream.bytes,
    captured_bytes: stream.capturedBytes,
    truncated: stream.truncated,
    artifact_uri: kept.uri,
    ...(stream.sha256 === null ? {} : { sha256: stream.sha256 }),
    ...(kept.notRetained === undefined
      ? {}
      : { artifact: { not_retained: true, reason: kept.notRetained } }),
  };
}
