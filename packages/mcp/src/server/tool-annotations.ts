import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { CapabilityId, CatalogEntry } from '@toolwright/core';

/** What a tool can work with and still touch nothing but the workspace. */
const localNeeds: ReadonlySet<CapabilityId> = new Set([
  'files.read',
  'files.write',
  'files.walk',
  'git',
  'search',
  'local',
]);

/** What changes a workspace and nothing beyond it. */
const localWriters: readonly CapabilityId[] = ['files.write', 'git'];

/**
 * The four hints of MCP, always all of them: a client takes a missing one for the worst. They come from what every call
 * of the tool declares of itself, so that one that reads or writes by its arguments counts as writing; a tool that says
 * nothing of itself counts as running code.
 */
export function toolAnnotations(
  entry: Pick<CatalogEntry, 'name' | 'title' | 'needs' | 'untrusted' | 'capabilities'>,
): Required<ToolAnnotations> {
  const { readOnly, idempotent } = entry.capabilities;
  return {
    title: entry.title ?? titleOf(entry.name),
    readOnlyHint: readOnly,
    destructiveHint: !readOnly,
    idempotentHint: idempotent,
    openWorldHint: entry.untrusted || !staysInside(entry.needs, readOnly),
  };
}

function staysInside(needs: readonly CapabilityId[], readOnly: boolean): boolean {
  if (!needs.every((need) => localNeeds.has(need))) return false;
  return readOnly || localWriters.some((writer) => needs.includes(writer));
}

function titleOf(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
