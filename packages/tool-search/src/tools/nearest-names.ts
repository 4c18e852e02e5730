import { rankTools } from './rank-tools.ts';
import type { ToolIndex } from './tool-index.ts';

/** The names that a name which does not exist may have meant, the likeliest first. */
export function nearestNames(index: ToolIndex, name: string, limit = 3): readonly string[] {
  const { tools } = rankTools(index, [{ text: name, required: false }], limit);
  return tools.map((tool) => tool.name);
}
