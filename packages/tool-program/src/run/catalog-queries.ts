import type { JsonObject, JsonValue, ToolCatalog } from '@toolwright/core';
import type MiniSearch from 'minisearch';
import { toTypeSignature } from '../signatures/to-type-signatures.ts';

/** UTF-8 bytes of the answer to a search: about 2,000 tokens. */
const maxSearchBytes = 8_192;
/** UTF-8 bytes of a description in full. */
const maxDescribeBytes = 32_768;
const maxDescriptionUnits = 400;
const defaultLimit = 5;
const maxLimit = 20;

/** What a script may look up about the tools that it can call; answers are bounded, however many tools there are. */
export class CatalogQueries {
  readonly #catalog: ToolCatalog;
  readonly #names: readonly string[];
  #index: MiniSearch | undefined;

  constructor(catalog: ToolCatalog, names: readonly string[]) {
    this.#catalog = catalog;
    this.#names = names;
  }

  /** `search` by words, or `describe` by name. */
  async answer(query: string, args: JsonObject): Promise<JsonValue> {
    return query === 'describe'
      ? this.#describe(args['name'])
      : this.#search(args['query'], args['limit']);
  }

  #entries() {
    const names = new Set(this.#names);
    return this.#catalog.entries({ hidden: true }).filter(({ name }) => names.has(name));
  }

  async #search(query: JsonValue | undefined, limit: JsonValue | undefined): Promise<JsonValue> {
    this.#index ??= await this.#createIndex();
    const entries = new Map(this.#entries().map((entry) => [entry.name, entry]));
    const found = typeof query === 'string' ? this.#index.search(query) : [];
    const wanted =
      typeof limit === 'number' && limit >= 1 ? Math.min(limit, maxLimit) : defaultLimit;
    const matches: JsonObject[] = [];
    let bytes = 0;
    for (const { id } of found.slice(0, wanted)) {
      const entry = entries.get(String(id));
      if (entry === undefined) continue;
      const match = {
        name: entry.name,
        description: entry.description.slice(0, maxDescriptionUnits),
        signature: toTypeSignature(entry),
        untrusted: entry.untrusted,
      };
      bytes += Buffer.byteLength(JSON.stringify(match));
      if (bytes > maxSearchBytes) break;
      matches.push(match);
    }
    return matches;
  }

  #describe(name: JsonValue | undefined): JsonValue {
    const entry = this.#entries().find((each) => each.name === name);
    if (entry === undefined) return null;
    const { description, parameters, output, untrusted } = entry;
    const described = {
      name: entry.name,
      description,
      signature: toTypeSignature(entry),
      untrusted,
      parameters,
      ...(output === undefined ? {} : { output }),
    };
    if (Buffer.byteLength(JSON.stringify(described)) <= maxDescribeBytes) return described;
    return {
      name: entry.name,
      description: description.slice(0, maxDescriptionUnits),
      signature: null,
      untrusted,
      parameters: null,
      too_large: true,
    };
  }

  /** Few programs look anything up: the library is loaded by the first that does. */
  async #createIndex(): Promise<MiniSearch> {
    const { default: Index } = await import('minisearch');
    const index = new Index({
      fields: ['name', 'title', 'keywords', 'description'],
      // Names are written in camelCase, snake_case and kebab-case.
      tokenize: (text) =>
        text
          .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
          .split(/[^\p{L}\p{N}]+/u)
          .filter((word) => word !== ''),
      searchOptions: { prefix: true, fuzzy: 0.2, boost: { name: 4, keywords: 2, title: 2 } },
    });
    index.addAll(
      this.#entries().map(({ name, title, keywords, description }) => ({
        id: name,
        name,
        title: title ?? '',
        keywords: keywords.join(' '),
        description,
      })),
    );
    return index;
  }
}
