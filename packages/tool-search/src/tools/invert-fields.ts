/** Where a term stands: documents, and how strongly each holds it. */
export interface Postings {
  readonly docs: Int32Array;
  readonly impacts: Float32Array;
  readonly idf: number;
}

/** What an occurrence in a field is worth, and how much the field's length counts (BM25's b). */
export interface FieldWeight {
  readonly weight: number;
  readonly b: number;
}

/** The terms of documents, field after field: `ends` tells where each field of each document ends. */
export interface FieldTerms {
  readonly terms: Int32Array;
  readonly ends: Int32Array;
}

const k1 = 1.2;

/** The postings of a term by its number; undefined for one that there is not. */
export type PostingsLookup = (term: number) => Postings | undefined;

/**
 * Turns documents with fields into postings by term: weighed, set against the lengths of fields, saturated. All stand
 * in one array; a view of a term's part is made when it is asked for, as most never are.
 */
export function invertFields(
  documents: FieldTerms,
  fields: readonly FieldWeight[],
  termCount: number,
): PostingsLookup {
  const docCount = documents.ends.length / fields.length;
  const weighed = weigh(documents, fields, termCount);
  const starts = new Int32Array(termCount + 1);
  for (let i = 0; i < weighed.terms.length; i += 1) {
    const term = weighed.terms[i] ?? 0;
    starts[term + 1] = (starts[term + 1] ?? 0) + 1;
  }
  for (let term = 0; term < termCount; term += 1) {
    starts[term + 1] = (starts[term + 1] ?? 0) + (starts[term] ?? 0);
  }
  const docs = new Int32Array(weighed.terms.length);
  const impacts = new Float32Array(weighed.terms.length);
  const next = starts.slice();
  for (let doc = 0, at = 0; doc < docCount; doc += 1) {
    for (const end = weighed.docEnds[doc] ?? 0; at < end; at += 1) {
      const term = weighed.terms[at] ?? 0;
      const slot = next[term] ?? 0;
      next[term] = slot + 1;
      docs[slot] = doc;
      impacts[slot] = weighed.impacts[at] ?? 0;
    }
  }
  return (term) => {
    if (term < 0 || term >= termCount) return undefined;
    const [start, end] = [starts[term] ?? 0, starts[term + 1] ?? 0];
    return {
      docs: docs.subarray(start, end),
      impacts: impacts.subarray(start, end),
      idf: Math.log(1 + (docCount - (end - start) + 0.5) / (end - start + 0.5)),
    };
  };
}

interface Weighed {
  /** Each document's distinct terms, one document after the other. */
  readonly terms: Int32Array;
  readonly impacts: Float32Array;
  readonly docEnds: Int32Array;
}

function weigh(documents: FieldTerms, fields: readonly FieldWeight[], termCount: number): Weighed {
  const { terms, ends } = documents;
  const averages = averageLengths(documents, fields.length);
  const weights = new Float64Array(termCount);
  const distinct = new Int32Array(terms.length);
  const impacts = new Float32Array(terms.length);
  const docEnds = new Int32Array(ends.length / fields.length);
  let count = 0;
  let at = 0;
  for (let slot = 0; slot < ends.length; slot += fields.length) {
    const first = count;
    for (let field = 0; field < fields.length; field += 1) {
      const { weight = 0, b = 0 } = fields[field] ?? {};
      const end = ends[slot + field] ?? 0;
      const share = weight / (1 - b + (b * (end - at)) / (averages[field] ?? 1));
      for (; at < end; at += 1) {
        const term = terms[at] ?? 0;
        const before = weights[term] ?? 0;
        if (before === 0) {
          distinct[count] = term;
          count += 1;
        }
        weights[term] = before + share;
      }
    }
    for (let i = first; i < count; i += 1) {
      const term = distinct[i] ?? 0;
      const weight = weights[term] ?? 0;
      weights[term] = 0;
      impacts[i] = (weight * (k1 + 1)) / (weight + k1);
    }
    docEnds[slot / fields.length] = count;
  }
  return { terms: distinct.subarray(0, count), impacts, docEnds };
}

function averageLengths(documents: FieldTerms, fieldCount: number): readonly number[] {
  const totals = new Float64Array(fieldCount);
  let start = 0;
  for (const [slot, end] of documents.ends.entries()) {
    const field = slot % fieldCount;
    totals[field] = (totals[field] ?? 0) + end - start;
    start = end;
  }
  const docCount = Math.max(documents.ends.length / fieldCount, 1);
  return Array.from(totals, (total) => Math.max(total / docCount, 1));
}
