import {
  defineTool,
  parallelRead,
  ToolError,
  type CatalogEntry,
  type JsonObject,
  type SessionResource,
  type Tool,
  type ToolCatalog,
  type ToolContextBase,
} from '@toolwright/core';
import { describeFound, tagSafeJson } from './describe-found.ts';
import { nearestNames } from './nearest-names.ts';
import { parseToolQuery, type ToolQuery } from './parse-query.ts';
import { rankTools } from './rank-tools.ts';
import { ToolIndex } from './tool-index.ts';
import { bareName } from './tool-terms.ts';

/** How `tool_search` answers. */
export interface ToolSearchToolOptions {
  /** Give whole schemas, for models that call what they found through `call_tool`. */
  readonly withSchemas: boolean;
}

/** Results when nothing is said. */
const defaultResults = 5;
const maxResults = 50;

interface CachedIndex {
  version: number;
  index: ToolIndex | undefined;
}

/** One index a session, made anew when the registry has changed. */
const sessionIndex: SessionResource<CachedIndex> = {
  create: () => ({ version: -1, index: undefined }),
};

/** The tools of this family, which are never results. */
const ownNames: ReadonlySet<string> = new Set(['tool_search', 'call_tool']);

/** The `tool_search` tool: finds tools by words and loads them. */
export function toolSearchTool(options: ToolSearchToolOptions): Tool {
  return defineTool({
    name: 'tool_search',
    title: 'Find tools',
    description:
      'Finds tools by words and makes those that were deferred callable. Many tools are not listed until they are looked for: search here before you say that something cannot be done. query is words for what you want to do ("send message", "create issue"); a word with + must be in the name or server of the tool ("+slack send"); "select:a,b" takes tools by their exact names. The answer is JSON: matches are names, the best first, tools say more of each.',
    keywords: ['discover tools', 'find capability', 'load tool', 'list tools'],
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['query'],
      properties: {
        query: {
          type: 'string',
          minLength: 1,
          maxLength: 2000,
          description: 'Words, +required words, or "select:name,name".',
        },
        max_results: {
          type: 'integer',
          maximum: maxResults,
          'x-clamp': true,
          description:
            'Tools to find at most; 0 or less means 5. Not for select. Default 5, at most 50.',
        },
      },
    },
    examples: [
      { query: 'send message' },
      { query: '+github issue' },
      { query: 'select:web_fetch' },
    ],
    capabilities: parallelRead(8),
    effects: () => [],
    run: async ({ query, max_results: asked }, context) => {
      if (query.trim() === '') {
        throw new ToolError(
          'invalid_argument',
          'query is empty; say in words what you want to do.',
        );
      }
      const limit = asked === undefined || asked <= 0 ? defaultResults : asked;
      return answer(options, context, { query, limit });
    },
  });
}

async function answer(
  options: ToolSearchToolOptions,
  context: ToolContextBase,
  asked: { readonly query: string; readonly limit: number },
) {
  const { catalog } = context;
  const entries = catalog.entries().filter(({ name }) => !ownNames.has(name));
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const index = currentIndex(context.resource(sessionIndex), catalog, entries);
  const parsed = parseToolQuery(asked.query);
  const found =
    parsed.kind === 'select'
      ? selectTools(index, parsed.names, byName)
      : { ...rankTools(index, parsed.keywords, asked.limit), unknown: [] };
  const chosen = found.tools.flatMap(({ name, score }) => {
    const entry = byName.get(name);
    return entry === undefined ? [] : [{ entry, score }];
  });
  const wanted = chosen.flatMap(({ entry }) =>
    entry.state === 'deferred' && !entry.loaded ? [entry.name] : [],
  );
  const outcome = wanted.length === 0 ? undefined : catalog.load(wanted, asked.query);
  const overCap = new Set(outcome?.overCap ?? []);
  const hints = [
    ...(chosen.length === 0 ? [nothingFound(parsed, index)] : []),
    ...(found.relaxed
      ? ['No tool name or server holds the required word; these hold it in their description.']
      : []),
    ...(overCap.size > 0
      ? [`Not loaded, because too many tools are loaded already: ${[...overCap].join(', ')}.`]
      : []),
  ];
  const body: JsonObject = {
    matches: chosen.map(({ entry }) => entry.name),
    tools: chosen.map(({ entry, score }) =>
      describeFound(entry, {
        score,
        loaded: !overCap.has(entry.name),
        withSchema: options.withSchemas,
      }),
    ),
    ...(found.unknown.length === 0 ? {} : { unknown: found.unknown }),
    ...(hints.length === 0 ? {} : { hint: hints.join(' ') }),
  };
  return {
    output: tagSafeJson(body),
    metadata: {
      query: asked.query,
      loaded: [...(outcome?.changed ?? [])],
      catalog_version: catalog.version,
      searched_tools: entries.length,
    },
  };
}

function currentIndex(
  cached: CachedIndex,
  catalog: ToolCatalog,
  entries: readonly CatalogEntry[],
): ToolIndex {
  if (cached.index === undefined || cached.version !== catalog.version) {
    cached.index = new ToolIndex(entries);
    cached.version = catalog.version;
  }
  return cached.index;
}

/** Tools by their exact names, in the order asked; a name that differs in case or separators alone is good too. */
function selectTools(
  index: ToolIndex,
  names: readonly string[],
  byName: ReadonlyMap<string, CatalogEntry>,
) {
  const tools: { name: string; score: number }[] = [];
  const unknown: JsonObject[] = [];
  for (const asked of names) {
    const [only, ...others] = index.withBareName(bareName(asked));
    const alike = only === undefined || others.length > 0 ? undefined : index.tools[only]?.name;
    const name = byName.has(asked) ? asked : alike;
    if (name === undefined) unknown.push({ name: asked, nearest: [...nearestNames(index, asked)] });
    else if (!tools.some((tool) => tool.name === name)) tools.push({ name, score: 0 });
  }
  return { tools, unknown, relaxed: false };
}

function nothingFound(parsed: ToolQuery, index: ToolIndex): string {
  if (parsed.kind === 'select') return 'None of the names exists; search by words instead.';
  if (index.tools.length === 0) return 'There are no further tools in this session.';
  return parsed.keywords.some(({ required }) => required)
    ? 'Nothing has all required words; try without "+", or with other words for what you want to do.'
    : 'Nothing matches; try a verb and an object ("create issue"), other words for the same, or the name of a service.';
}
