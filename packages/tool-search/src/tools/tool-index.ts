import type { CatalogEntry, JsonSchema } from '@toolwright/core';
import { bareName, toolTerms } from './tool-terms.ts';

/** A field of a tool, what it is worth, and how much its length counts (BM25's b). */
const fields = {
  name: { weight: 3, b: 0.3 },
  keywords: { weight: 2, b: 0.3 },
  title: { weight: 1.5, b: 0.4 },
  description: { weight: 1, b: 0.6 },
  parameters: { weight: 0.8, b: 0.5 },
} as const;

type Field = keyof typeof fields;
const fieldNames = Object.keys(fields) as readonly Field[]; // Its own keys.

const k1 = 1.2;
/** Characters of a description that count: what comes later is detail. */
const maxDescription = 600;

/** Where a term stands: documents, and how strongly each holds it. */
export interface Postings {
  readonly docs: Int32Array;
  readonly impacts: Float32Array;
  readonly idf: number;
}

/** A tool as it is ranked. */
export interface IndexedTool {
  readonly name: string;
  /** The name without separators, in lower case. */
  readonly bare: string;
  readonly nameTerms: readonly string[];
  /** Terms of the provider, by which a server can be required too. */
  readonly serverTerms: readonly string[];
  readonly descriptionTerms: readonly string[];
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
  readonly #postings = new Map<string, Postings>();
  readonly #bare = new Map<string, number[]>();
  #vocabulary: readonly string[] | undefined;

  constructor(tools: readonly RankableTool[]) {
    const analysed = tools.map(analyse);
    this.tools = analysed.map(({ tool }) => tool);
    const averages = averageLengths(analysed);
    const gathered = new Map<string, { docs: number[]; impacts: number[] }>();
    for (const [doc, { terms }] of analysed.entries()) {
      for (const [term, weight] of weigh(terms, averages)) {
        let entry = gathered.get(term);
        if (entry === undefined) gathered.set(term, (entry = { docs: [], impacts: [] }));
        entry.docs.push(doc);
        entry.impacts.push((weight * (k1 + 1)) / (weight + k1));
      }
    }
    for (const [term, { docs, impacts }] of gathered) {
      const idf = Math.log(1 + (tools.length - docs.length + 0.5) / (docs.length + 0.5));
      this.#postings.set(term, {
        docs: Int32Array.from(docs),
        impacts: Float32Array.from(impacts),
        idf,
      });
    }
    for (const [doc, { bare }] of this.tools.entries()) {
      this.#bare.set(bare, [...(this.#bare.get(bare) ?? []), doc]);
    }
  }

  postings(term: string): Postings | undefined {
    return this.#postings.get(term);
  }

  /** Documents whose name, or title, is a text when separators and case are left out. */
  withBareName(bare: string): readonly number[] {
    return this.#bare.get(bare) ?? [];
  }

  /** Every term, sorted. */
  vocabulary(): readonly string[] {
    this.#vocabulary ??= [...this.#postings.keys()].toSorted();
    return this.#vocabulary;
  }

  /** The idf of a term that only one tool has. */
  get maxIdf(): number {
    return Math.log(1 + (this.tools.length - 0.5) / 1.5);
  }
}

interface Analysed {
  readonly tool: IndexedTool;
  readonly terms: Readonly<Record<Field, readonly string[]>>;
}

function analyse(tool: RankableTool): Analysed {
  const nameTerms = toolTerms(tool.name);
  const descriptionTerms = toolTerms(tool.description.slice(0, maxDescription));
  return {
    tool: {
      name: tool.name,
      bare: bareName(tool.name),
      nameTerms,
      serverTerms: toolTerms(tool.provider),
      descriptionTerms,
    },
    terms: {
      name: nameTerms,
      keywords: tool.keywords.flatMap(toolTerms),
      title: toolTerms(tool.title ?? ''),
      description: descriptionTerms,
      parameters: parameterNames(tool.parameters).flatMap(toolTerms),
    },
  };
}

/** The names of a tool's parameters. */
export function parameterNames(schema: JsonSchema): string[] {
  const properties: unknown = schema['properties'];
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}

function averageLengths(analysed: readonly Analysed[]): Readonly<Record<Field, number>> {
  const average = (field: Field) =>
    Math.max(
      analysed.reduce((sum, { terms }) => sum + terms[field].length, 0) /
        Math.max(analysed.length, 1),
      1,
    );
  return {
    name: average('name'),
    keywords: average('keywords'),
    title: average('title'),
    description: average('description'),
    parameters: average('parameters'),
  };
}

function weigh(
  terms: Analysed['terms'],
  averages: Readonly<Record<Field, number>>,
): Map<string, number> {
  const weights = new Map<string, number>();
  for (const field of fieldNames) {
    const { weight, b } = fields[field];
    const share = weight / (1 - b + (b * terms[field].length) / averages[field]);
    for (const term of terms[field]) weights.set(term, (weights.get(term) ?? 0) + share);
  }
  return weights;
}
