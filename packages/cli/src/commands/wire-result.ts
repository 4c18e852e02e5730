import type { ToolResult } from '@toolwright/core';

/** A result as the command prints it: one JSON object. */
export function toWire(given: ToolResult, id: unknown = given.id): object {
  const { trust: _, ...result } = given;
  return { ...result, id };
}
