import type { CatalogEntry, JsonSchema } from '@toolwright/core';
import {
  invertFields,
  type FieldTerms,
  type FieldWeight,
  type Postings,
  type PostingsLookup,
} from './invert-fields.ts';
import { TermNumbers } from './term-numbers.ts';
import { bareName, toolTerms } from './tool-terms.ts';

/** The fields of a tool, what an occurrence in each is worth, and how much its length counts (BM25's b). */
const fields: readonly FieldWeight[] = [
  { weight: 3, b: 0.3 }, // name
  { weight: 2, b: 0.3 }, // keywords
  { weight: 1.5, b: 0.4 }, // title
  { weight: 1, b: 0.6 }, // description
  { weight: 0.8, b: 0.5 }, // names of parameters
];

/** Characters of a description that count: what comes later is detail. */
const maxDescription = 600;

/** A tool as it is ranked. */
export interface IndexedTool {
  readonly name: string;
  /** The name without separators, in lower case. */
  readonly bare: string;
  readonly source: RankableTool;
}

/** What a tool is ranked by. */
export type RankableTool = Pick<
  CatalogEntry,
  'name' | 'description' | 'parameters' | 'provider' | 'keywords'
> & { readonly title?: string | undefined };

/**
 * An inverted index of tools with BM25F (Robertson, Zaragoza and Taylor, 2004): a term's occurrences in the fields of a
 * tool are weighed, set against the length of each field, and saturate together.
 */
export class ToolIndex {
  readonly tools: readonly IndexedTool[];
  readonly #terms = new TermNumbers();
  readonly #postings: PostingsLookup;
  /** Documents by their bare names; most have theirs for themselves. */
  readonly #bare = new Map<string, number | number[]>();
  #vocabulary: readonly string[] | undefined;

  constructor(tools: readonly RankableTool[]) {
    this.tools = tools.map((source) => ({
      name: source.name,
      bare: bareName(source.name),
      source,
    }));
    const documents = this.#fieldTerms(tools);
    this.#postings = invertFields(documents, fields, this.#terms.size);
    for (const [doc, { bare }] of this.tools.entries()) {
      const known = this.#bare.get(bare);
      if (known === undefined) this.#bare.set(bare, doc);
      else this.#bare.set(bare, typeof known === 'number' ? [known, doc] : [...known, doc]);
    }
  }

  postings(term: string): Postings | undefined {
    return this.#postings(this.#terms.find(term) ?? -1);
  }

  /** Documents whose name is a text when separators and case are left out. */
  withBareName(bare: string): readonly number[] {
    const known = this.#bare.get(bare) ?? [];
    return typeof known === 'number' ? [known] : known;
  }

  /** Whether a tool's name or server has one of some terms, or its description. */
  holds(doc: number, where: 'name' | 'description', terms: readonly string[]): boolean {
    const source = this.tools[doc]?.source;
    if (source === undefined) return false;
    const held =
      where === 'name'
        ? [...toolTerms(source.name), ...toolTerms(source.provider)]
        : toolTerms(source.description.slice(0, maxDescription));
    return terms.some((term) => held.includes(term));
  }

  /** Every term, sorted. */
  vocabulary(): readonly string[] {
    this.#vocabulary ??= [...this.#terms.stems].toSorted();
    return this.#vocabulary;
  }

  /** The idf of a term that only one tool has. */
  get maxIdf(): number {
    return Math.log(1 + (this.tools.length - 0.5) / 1.5);
  }

  #fieldTerms(tools: readonly RankableTool[]): FieldTerms {
    let terms = new Int32Array(tools.length * 48 + 1024);
    let count = 0;
    const ends = new Int32Array(tools.length * fields.length);
    let field = 0;
    const one = (term: number) => {
      if (count === terms.length) terms = grown(terms);
      terms[count] = term;
      count += 1;
    };
    const repeated = (text: string) => {
      const numbers = this.#terms.ofRepeated(text);
      for (let i = 0; i < numbers.length; i += 1) one(numbers[i] ?? 0);
    };
    const end = () => {
      ends[field] = count;
      field += 1;
    };
    for (const tool of tools) {
      this.#terms.each(tool.name, one);
      end();
      for (const keyword of tool.keywords) repeated(keyword);
      end();
      if (tool.title !== undefined) repeated(tool.title);
      end();
      this.#terms.each(tool.description.slice(0, maxDescription), one);
      end();
      for (const parameter of parameterNames(tool.parameters)) repeated(parameter);
      end();
    }
    return { terms: terms.subarray(0, count), ends };
  }
}

function grown(terms: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(terms.length * 2);
  larger.set(terms);
  return larger;
}

/** The names of a tool's parameters. */
export function parameterNames(schema: JsonSchema): string[] {
  const properties: unknown = schema['properties'];
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}
