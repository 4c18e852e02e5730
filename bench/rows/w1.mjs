import { readFileSync } from 'node:fs';
import { ours } from '../harness/packages.mjs';

export const work =
  'article pages to Markdown: 40 pages with known text (`packages/tool-web/test/pages`)';

export const comparisons = [
  {
    row: 'W1',
    bar: 0.16,
    target: 0.1,
    anchor: 'jsdom + Readability + turndown',
    ours: 'a whole call of `web_fetch`',
  },
  {
    row: 'W1.error',
    unit: 'share',
    bar: 0.005,
    target: 0.003,
    anchor: 'the known text',
    ours: '1 − F1 of the words, mean over the pages',
  },
  {
    row: 'W1.readability',
    unit: 'of the anchor',
    bar: 1,
    target: 0.2,
    anchor: '1 − F1 of jsdom + Readability + turndown',
    ours: '1 − F1 of ours',
  },
  {
    row: 'W1.defuddle',
    unit: 'of the anchor',
    bar: 1,
    target: 0.2,
    anchor: '1 − F1 of defuddle',
    ours: '1 − F1 of ours',
  },
];

const folder = new URL('../../packages/tool-web/test/pages/', import.meta.url);

export async function measure(bench) {
  const pages = JSON.parse(readFileSync(new URL('pages.json', folder), 'utf8')).map((page) => ({
    ...page,
    bytes: readFileSync(new URL(`${page.id}.html`, folder)),
    known: readFileSync(new URL(`${page.id}.txt`, folder), 'utf8'),
  }));
  const { fetchPage, close } = await openSession(pages);
  const peers = await loadPeers();
  const error = await errorsOf(pages, peers);
  const [own, readability, defuddle] = [
    await error(fetchPage),
    await error(peers.readability),
    await error(peers.defuddle),
  ];
  bench.value('W1.error', [own]);
  bench.value('W1.readability', [own / readability]);
  bench.value('W1.defuddle', [own / defuddle]);
  // One page of each kind, so that a round stays short.
  const some = pages.filter((_, index) => index % 3 === 0);
  const all = async (convert) => {
    for (const page of some) await convert(page);
  };
  await bench.compare('W1', {
    anchor: () => all(peers.readability),
    ours: () => all(fetchPage),
    check: () => {
      if (own > 0.005) throw new Error(`F1 is ${1 - own}, below 0.995`);
    },
    rounds: 7,
    calls: some.length,
  });
  await close();
}

/** A session whose transport answers from memory: what is measured begins with the bytes. */
async function openSession(pages) {
  const { createHost, memoryWorkspace } = await ours('core');
  const { web } = await ours('tool-web');
  const byUrl = new Map(pages.map((page) => [page.url, page]));
  const http = {
    async request({ url }) {
      const body = (async function* send() {
        yield byUrl.get(url).bytes;
      })();
      const headers = { 'content-type': 'text/html' };
      return { status: 200, url, headers, redirects: [], body, cancel: async () => {} };
    },
    close: async () => {},
  };
  const session = await createHost({ providers: [web()] }).open({
    workspace: memoryWorkspace({}),
    services: { http },
  });
  const fetchPage = async ({ url }) => {
    const result = await session.tool('web_fetch', { url, max_chars: 100_000 });
    if (result.error !== null) throw new Error(result.error.message);
    return result.output;
  };
  return { fetchPage, close: () => session.close() };
}

async function loadPeers() {
  const { JSDOM, VirtualConsole } = await import('jsdom');
  const { Readability } = await import('@mozilla/readability');
  const { default: Turndown } = await import('turndown');
  const { Defuddle } = await import('defuddle/node');
  const turndown = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced' });
  const options = (url) => ({ url, virtualConsole: new VirtualConsole() });
  return {
    parse: (html) => new JSDOM(html).window.document,
    readability: async ({ bytes, url }) => {
      const dom = new JSDOM(bytes.toString(), options(url));
      const article = new Readability(dom.window.document).parse();
      dom.window.close();
      return `# ${article?.title ?? ''}\n\n${turndown.turndown(article?.content ?? '')}`;
    },
    defuddle: async ({ bytes, url }) => {
      const dom = new JSDOM(bytes.toString(), options(url));
      const article = await Defuddle(dom, url, { markdown: true });
      return `# ${article.title}\n\n${article.content}`;
    },
  };
}

/** Measures a converter: the mean over the pages of 1 − F1 between the words it gives and those of the known text. */
async function errorsOf(pages, { parse }) {
  const { micromark } = await import('micromark');
  const { gfm, gfmHtml } = await import('micromark-extension-gfm');
  const shown = (markdown) => {
    const html = micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
    return parse(html.replaceAll(/<\/?(?:p|h\d|li|ul|ol|pre|blockquote|t[dhr]|br)\b/gu, ' $&')).body
      .textContent;
  };
  return async (convert) => {
    let sum = 0;
    for (const page of pages) {
      sum += 1 - f1(count(shown(await convert(page))), count(page.known));
    }
    return sum / pages.length;
  };
}

function count(text) {
  const counts = new Map();
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

function f1(found, known) {
  let common = 0;
  for (const [word, times] of found) common += Math.min(times, known.get(word) ?? 0);
  const total = (counts) => [...counts.values()].reduce((sum, times) => sum + times, 0);
  return (2 * common) / Math.max(total(found) + total(known), 1);
}
