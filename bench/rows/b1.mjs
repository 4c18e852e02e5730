import { sourceText } from '../harness/source-tree.mjs';

export const work = 'ranked search (BM25) over 256 files, 15 MB, in passages of 80 lines';

const anchor = 'MiniSearch with its defaults, the same passages';

export const comparisons = [
  { row: 'B1', bar: 0.35, target: 0.2, anchor, ours: 'index all files and answer a first query' },
  { row: 'B2', bar: 0.05, target: 0.03, anchor, ours: 'ten further queries', unit: 'µs' },
];

const fileCount = 256;
const passageLines = 80;

export async function measure(bench) {
  const { default: MiniSearch } = await import('minisearch');
  const folder = new URL('../../packages/tool-search/dist/', import.meta.url);
  const { PassageIndex } = await import(new URL('bm25/passage-index.js', folder).href);
  const { tokensOf } = await import(new URL('text/token-scanner.js', folder).href);
  const files = Array.from({ length: fileCount }, (_, number) => ({
    path: `src/file${number}.ts`,
    text: sourceText(number + 90_000, 60_000),
  }));
  const queries = queriesOf(files, tokensOf);
  const buildMini = () => {
    const index = new MiniSearch({ fields: ['text'] });
    const passages = files.flatMap(({ text }) => passagesOf(text));
    index.addAll(passages.map((text, id) => ({ id, text })));
    return (query) => index.search(query).slice(0, 10);
  };
  const buildOurs = () => {
    const index = new PassageIndex();
    const indexed = files.map(({ path, text }) => index.add({ path, token: '', sha256: '' }, text));
    return (query) => index.rank([...new Set(tokensOf(query))], indexed, { limit: 10, perFile: 2 });
  };
  await bench.compare('B1', {
    anchor: () => buildMini()(queries[0]),
    ours: () => buildOurs()(queries[0]),
    check: bothFind,
    rounds: 5,
  });
  const [mini, own] = [buildMini(), buildOurs()];
  await bench.compare('B2', {
    anchor: () => queries.map((query) => mini(query)),
    ours: () => queries.map((query) => own(query)),
    check: (theirs, found) => theirs.forEach((results, at) => bothFind(results, found[at])),
    rounds: 15,
    warmup: 3,
    calls: queries.length,
  });
}

function passagesOf(text) {
  const lines = text.split('\n');
  const passages = [];
  for (let at = 0; at < lines.length; at += passageLines) {
    passages.push(lines.slice(at, at + passageLines).join('\n'));
  }
  return passages;
}

/** Three words of a line each, as one asks for what one has seen. */
function queriesOf(files, tokensOf) {
  return Array.from({ length: 10 }, (_, number) => {
    const lines = files[number * 25].text.split('\n').filter((line) => line.length > 40);
    const [a, b, c] = [...new Set(tokensOf(lines[number * 7]))].filter((word) => word.length > 3);
    return [a, b, c].join(' ');
  });
}

function bothFind(theirs, found) {
  if (theirs.length < 10 || found.length < 10) throw new Error('too little was found');
}
