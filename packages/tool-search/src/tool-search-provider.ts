import { defineProvider, type Provider } from '@toolwright/core';
import { callTool } from './tools/call-tool.ts';
import { toolSearchTool } from './tools/tool-search-tool.ts';

/** How tools are found. */
export interface ToolSearchOptions {
  /**
   * Keep the list of tools the same for the whole run: found tools are called through `call_tool`, and results hold
   * their whole schemas. Default false: found tools join the list.
   */
  readonly frozenList?: boolean;
}

const growing =
  'Further tools are deferred: when the listed ones do not do what is asked, describe it to tool_search; what it finds can be called from the next turn on.';
const frozen =
  'Further tools are deferred: when the listed ones do not do what is asked, describe it to tool_search, then call what it finds through call_tool with arguments that fit the schema it gave.';

/** The provider of `tool_search`, and of `call_tool` where the list is frozen. */
export function toolSearch(options: ToolSearchOptions = {}): Provider {
  const isFrozen = options.frozenList ?? false;
  return defineProvider({
    name: 'tool-search',
    version: '0.1.0',
    tools: [toolSearchTool({ withSchemas: isFrozen }), ...(isFrozen ? [callTool()] : [])],
    instructions: isFrozen ? frozen : growing,
  });
}
