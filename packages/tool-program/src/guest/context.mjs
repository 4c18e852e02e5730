/** @import { CallRecord } from './calls.mjs' */

/** Pages of one `glob` or `readFile`; past it the method fails instead of answering with a part. */
const maxPages = 64;
/** Paths asked for a page; fewer when its text would be cut. */
const globPageSize = 1000;

/**
 * @typedef {object} ContextParts
 * @property {(name: string, args?: unknown, options?: { throwOnError?: unknown }) => Promise<CallRecord>} tool
 * @property {(query: string, args: unknown) => Promise<unknown>} lookUp
 * @property {(...values: unknown[]) => void} log
 * @property {(step: unknown) => void} progress
 * @property {() => readonly string[]} names The tools that the script may call.
 * @property {() => number} maxOutputBytes Bytes of a record's output.
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
   * @returns {(query: string | Options, options?: Options) => Promise<CallRecord & { matches: unknown[] }>}
   */
  const searchIn = (mode) => async (query, options) => {
    const args = toSearchOptions(toArguments('query', query, options));
    return withMatches(await tool('search', { mode, ...args }, toCallOptions(options)));
  };

  const run = (/** @type {string | Options} */ command, /** @type {Options} */ options) =>
    tool('bash', toArguments('command', command, options), toCallOptions(options));

  return Object.freeze({
    tool,
    tools: createToolsProxy(tool, names),
    read: (/** @type {string | Options} */ path, /** @type {Options} */ options) =>
      tool('read', toArguments('file_path', path, options), toCallOptions(options)),
    readFile: async (/** @type {string} */ path, /** @type {Options} */ options) => {
      let text = '';
      /** @type {Options} */
      let page = { max_output_bytes: maxOutputBytes(), ...options };
      for (let i = 0; i < maxPages; i += 1) {
        const record = await tool('read', { file_path: path, ...page }, must);
        text += record.text;
        const cursor = record.metadata.range?.next_cursor;
        if (!cursor || options?.limit !== undefined) return text;
        page = { max_output_bytes: maxOutputBytes(), cursor };
      }
      throw new RangeError(`${path} is longer than ${maxPages} reads; read it in ranges.`);
    },
    grep: searchIn('grep'),
    bm25: searchIn('bm25'),
    search: searchIn('grep'),
    glob: async (/** @type {string} */ pattern, /** @type {Options} */ options) => {
      /** @type {string[]} */
      const paths = [];
      const base = { mode: 'glob', query: pattern, ...toSearchOptions(options) };
      let limit = globPageSize;
      /** @type {string | undefined} */
      let cursor;
      for (let i = 0; i < maxPages; i += 1) {
        const page = { limit, ...base, ...(cursor === undefined ? {} : { cursor }) };
        const record = await tool('search', page, must);
        if (record.truncated && limit > 1 && options?.limit === undefined) {
          limit = Math.ceil(limit / 4);
          continue;
        }
        paths.push(...toPaths(record));
        cursor = record.metadata.page?.next_cursor ?? undefined;
        if (cursor === undefined || options?.limit !== undefined) return paths;
      }
      throw new RangeError(`${pattern} matches more than ${paths.length} paths; narrow it.`);
    },
    ls: async (/** @type {string | Options} */ path = '.', /** @type {Options} */ options) => {
      const record = await tool('ls', toArguments('path', path, options), toCallOptions(options));
      return { ...record, entries: record.metadata.entries ?? [] };
    },
    bash: run,
    verify: run,
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
 * @param {ContextParts['tool']} tool
 * @param {() => readonly string[]} names
 */
function createToolsProxy(tool, names) {
  /** @type {Record<string, (args?: unknown, options?: Options) => unknown>} */
  const methods = Object.create(null);
  /** @param {string | symbol} name */
  const isKnown = (name) => typeof name === 'string' && names().includes(name);
  return new Proxy(Object.create(null), {
    get: (_target, name) => {
      // A promise looks for `then` on whatever it is resolved with.
      if (typeof name !== 'string' || name === 'then') return undefined;
      methods[name] ??= (args, options) => tool(name, args, options);
      return methods[name];
    },
    has: (_target, name) => isKnown(name),
    ownKeys: () => [...names()],
    getOwnPropertyDescriptor: (_target, name) =>
      isKnown(name) ? { value: undefined, enumerable: true, configurable: true } : undefined,
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
 * The paths of a page of `glob`: raw where the tool tells them so, else its rows, before which nothing stands.
 * @param {CallRecord} record
 * @returns {string[]}
 */
function toPaths({ structured, output, metadata }) {
  const paths = isObject(structured) ? structured['paths'] : undefined;
  if (Array.isArray(paths)) return paths;
  const { page, source_anchors: anchors } = metadata;
  const rows = output.split('\n').filter((row) => row !== '');
  const count = page?.returned_items ?? rows.length;
  return anchors?.length === count ? anchors : rows.slice(0, count);
}

/**
 * A record with its matching lines as data.
 * @param {CallRecord} record
 */
function withMatches(record) {
  const given = isObject(record.structured) ? record.structured['matches'] : undefined;
  return { ...record, matches: Array.isArray(given) ? given : toMatches(record.output) };
}

/** @param {string} output */
function toMatches(output) {
  return output.split('\n').flatMap((row) => {
    const found = /^(.+?):(\d+): (.*)$/.exec(row);
    return found === null ? [] : [{ path: found[1], line: Number(found[2]), text: found[3] }];
  });
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isObject(value) {
  return typeof value === 'object' && value !== null;
}
