// The public surface: every name here is API.
export { search, type GlobOptions, type GrepOptions, type SearchHelpers } from './provider.ts';
export { searchTool } from './search-tool.ts';
