/** Levels of lists and objects that the JSON of a peer may have; what reads it by recursion is safe up to here. */
export const MAX_NESTING = 100;

/** Whether JSON has more levels than are read. It walks without recursion: depth costs no stack. */
export function isNestedTooDeeply(value: unknown): boolean {
  let level: readonly object[] = isContainer(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_NESTING) return true;
    const below: object[] = [];
    for (const container of level) {
      for (const item of Object.values(container)) if (isContainer(item)) below.push(item);
    }
    level = below;
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
