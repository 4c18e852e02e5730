/** @import { CallRecord } from './calls.mjs' */

/** Pages of one `glob` or `readFile`; past it the method fails instead of answering with a part. */
const maxPages = 64;
/** Paths asked for a page: few enough that their text is never cut. */
const globPageSize = 500;

/**
 * @typedef {object} ContextParts
 * @property {(name: string, args?: unknown, options?: { throwOnError?: unknown }) => Promise<CallRecord>} tool
 * @property {(query: string, args: unknown) => Promise<unknown>} lookUp
 * @property {(...values: unknown[]) => void} log
 * @property {(step: unknown) => void} progress
 * @property {readonly string[]} names The tools that the script may call.
 * @property {number} maxOutputBytes Bytes of a record's output.
 */

/** @typedef {{ limit?: unknown, throwOnError?: unknown } & Record<string, unknown>} Options */

/**
 * The `ctx` of a script. Methods named for a tool answer with its record; `readFile` and `glob` answer with the
 * bare value and throw when the call fails.
 * @param {ContextParts} parts
 */
export function createContext({ tool, lookUp, log, progress, names, maxOutputBytes }) {
  const must = { throwOnError: true };

  /**
   * @param {string} mode
   * @returns {(query: string, options?: Options) => Promise<CallRecord>}
   */
  const searchIn = (mode) => (query, options) =>
    tool('search', { mode, query, ...toSearchOptions(options) }, toCallOptions(options));

  return Object.freeze({
    tool,
    tools: createToolsProxy(tool, names),
    read: (/** @type {string} */ path, /** @type {Options} */ options) =>
      tool('read', { file_path: path, ...withoutCallOptions(options) }, toCallOptions(options)),
    readFile: async (/** @type {string} */ path, /** @type {Options} */ options) => {
      let text = '';
      /** @type {Options} */
      let page = { max_output_bytes: maxOutputBytes, ...options };
      for (let i = 0; i < maxPages; i += 1) {
        const record = await tool('read', { file_path: path, ...page }, must);
        text += record.text;
        const cursor = record.metadata.range?.next_cursor;
        if (!cursor || options?.limit !== undefined) return text;
        page = { max_output_bytes: maxOutputBytes, cursor };
      }
      throw new RangeError(`${path} is longer than ${maxPages} reads; read it in ranges.`);
    },
    grep: searchIn('grep'),
    bm25: searchIn('bm25'),
    search: (/** @type {string} */ query, /** @type {Options} */ options) =>
      tool('search', { mode: 'grep', query, ...toSearchOptions(options) }, toCallOptions(options)),
    glob: async (/** @type {string} */ pattern, /** @type {Options} */ options) => {
      /** @type {string[]} */
      const paths = [];
      const base = {
        mode: 'glob',
        query: pattern,
        limit: globPageSize,
        ...toSearchOptions(options),
      };
      /** @type {Options} */
      let page = base;
      for (let i = 0; i < maxPages; i += 1) {
        const record = await tool('search', page, must);
        paths.push(...toPaths(record));
        const cursor = record.metadata.page?.next_cursor;
        if (!cursor || options?.limit !== undefined) return paths;
        page = { ...base, cursor };
      }
      throw new RangeError(`${pattern} matches more than ${paths.length} paths; narrow it.`);
    },
    ls: (/** @type {string} */ path = '.', /** @type {Options} */ options) =>
      tool('ls', { path, ...withoutCallOptions(options) }, toCallOptions(options)),
    bash: (/** @type {string} */ command, /** @type {Options} */ options) =>
      tool('bash', { command, ...withoutCallOptions(options) }, toCallOptions(options)),
    verify: (/** @type {string} */ command, /** @type {Options} */ options) =>
      tool('bash', { command, ...withoutCallOptions(options) }, toCallOptions(options)),
    git: (/** @type {string | Options} */ command, /** @type {Options} */ options) =>
      tool('git', toArguments('command', command, options), toCallOptions(options)),
    webSearch: (/** @type {string | Options} */ query, /** @type {Options} */ options) =>
      tool('web_search', toArguments('query', query, options), toCallOptions(options)),
    webFetch: (/** @type {string | Options} */ url, /** @type {Options} */ options) =>
      tool('web_fetch', toArguments('url', url, options), toCallOptions(options)),
    log,
    progress,
    catalog: Object.freeze({
      search: (/** @type {string} */ query, /** @type {{ limit?: number }} */ options) =>
        lookUp('search', { query, ...options }),
      describe: (/** @type {string} */ name) => lookUp('describe', { name }),
    }),
  });
}

/**
 * `tools.<name>(args, options)` for every name, known or not: the kernel answers an unknown one with the nearest.
 * @param {(name: string, args?: unknown, options?: Options) => unknown} tool
 * @param {readonly string[]} names
 */
function createToolsProxy(tool, names) {
  const known = new Set(names);
  return new Proxy(Object.create(null), {
    get: (_target, name) =>
      // A promise looks for `then` on whatever it is resolved with.
      typeof name === 'string' && name !== 'then'
        ? (/** @type {unknown} */ args, /** @type {Options} */ options) => tool(name, args, options)
        : undefined,
    has: (_target, name) => typeof name === 'string' && known.has(name),
    ownKeys: () => [...names],
    getOwnPropertyDescriptor: (_target, name) =>
      typeof name === 'string' && known.has(name)
        ? { value: undefined, enumerable: true, configurable: true }
        : undefined,
    set: () => false,
    defineProperty: () => false,
  });
}

/** @param {Options | undefined} options */
function toCallOptions(options) {
  return { throwOnError: options?.throwOnError === true };
}

/**
 * @param {Options | undefined} options
 * @returns {Options}
 */
function withoutCallOptions(options) {
  const { throwOnError: _, ...rest } = options ?? {};
  return rest;
}

/**
 * Takes the names that scripts know from ripgrep beside the tool's own.
 * @param {Options | undefined} options
 * @returns {Options}
 */
function toSearchOptions(options) {
  const { glob, '-i': ignoreCase, ...rest } = withoutCallOptions(options);
  return {
    ...rest,
    ...(glob === undefined ? {} : { include: glob }),
    ...(ignoreCase === undefined ? {} : { case_sensitive: ignoreCase !== true }),
  };
}

/**
 * @param {string} field
 * @param {string | Options} first
 * @param {Options | undefined} options
 * @returns {Options}
 */
function toArguments(field, first, options) {
  const rest = withoutCallOptions(options);
  return typeof first === 'string'
    ? { [field]: first, ...rest }
    : { ...withoutCallOptions(first), ...rest };
}

/**
 * @param {CallRecord} record
 * @returns {string[]}
 */
function toPaths(record) {
  const { structured, output } = record;
  const paths = /** @type {{ paths?: unknown } | undefined} */ (structured)?.paths;
  if (Array.isArray(paths)) return paths;
  return output.split('\n').filter((line) => line !== '');
}
