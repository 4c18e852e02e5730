import type { JsonValue } from '@toolwright/core';
import { structuredPatch } from 'diff';

/** Lines around a change that are shown with it. */
const contextLines = 2;
/** Lines of one difference that are shown, at most. */
const maxShown = 200;

/**
 * How one part of a tool's definition differs, in lines that begin with `-`, `+` or a blank: text as it is, anything else
 * as indented JSON. What is not `known` can only be shown as it is now.
 */
export function definitionDiff(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  known: boolean,
): readonly string[] {
  if (!known) return shortened(['(what it was is not on record)', ...marked('+', after)]);
  const { hunks } = structuredPatch('', '', toText(before), toText(after), '', '', {
    context: contextLines,
  });
  const lines = hunks.flatMap((hunk, index) => [
    ...(index === 0 ? [] : ['…']),
    ...hunk.lines.filter((line) => !line.startsWith('\\')),
  ]);
  return shortened(lines);
}

function marked(mark: string, value: JsonValue | undefined): readonly string[] {
  return toText(value)
    .split('\n')
    .slice(0, -1)
    .map((line) => `${mark}${line}`);
}

function toText(value: JsonValue | undefined): string {
  if (value === undefined) return '';
  return `${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}\n`;
}

function shortened(lines: readonly string[]): readonly string[] {
  if (lines.length <= maxShown) return lines;
  return [...lines.slice(0, maxShown), `… ${lines.length - maxShown} more lines; --json has all`];
}
