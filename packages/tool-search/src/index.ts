// The public surface: every name here is API.
export { search, type GlobOptions, type GrepOptions, type SearchHelpers } from './provider.ts';
export { searchTool } from './search-tool.ts';
export { toolSearch, type ToolSearchOptions } from './tool-search-provider.ts';
export { callTool } from './tools/call-tool.ts';
export { DeferredReminder, type ReminderEntry } from './tools/deferred-reminder.ts';
export { rankTools, type RankedTool, type RankKeyword, type Ranking } from './tools/rank-tools.ts';
export { ToolIndex, type RankableTool } from './tools/tool-index.ts';
export { toolSearchTool, type ToolSearchToolOptions } from './tools/tool-search-tool.ts';
