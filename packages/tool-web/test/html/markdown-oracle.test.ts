import * as fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { expect, test } from 'vitest';
import { convertPage } from '../../src/html/convert-page.ts';
import { parseHtml } from '../../src/html/parse-html.ts';

const RUNS = process.env['TOOLWRIGHT_LONG'] === '1' ? 20_000 : 800;

const convert = (html: string): string =>
  convertPage(html, { url: 'https://site.test/', format: 'markdown', bodyOnly: false }).text;

/** What a reader of the Markdown sees, by a real CommonMark parser, white space aside. */
function shown(markdown: string): string {
  const html = micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
  return parseHtml(html).body.textContent.replaceAll(/\s/gu, '');
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const FRAGMENTS: readonly string[] =
  String.raw`a|b c|word|1| |*|**|_|__|+|-|#|>|<|&|[|]|(|)|!|~|~~|\|=|.|:|1.|2)|---|<b>|&amp;|](|![|[x]:|"|'|$|{|}|@|/|日本|。|a_b`
    .split('|')
    .concat('|', '`', '``', '```');

/** Text full of what Markdown could take for markup. */
const text = fc
  .array(fc.constantFrom(...FRAGMENTS), { minLength: 1, maxLength: 6 })
  .map((parts) => escapeHtml(parts.join('')));

const { inline } = fc.letrec<{ inline: string }>((tie) => ({
  inline: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc
      .tuple(fc.constantFrom('b', 'em', 's', 'span', 'code', 'a href="/x"'), tie('inline'))
      .map(wrap),
    fc.tuple(tie('inline'), tie('inline')).map((parts) => parts.join('')),
    fc.tuple(tie('inline'), tie('inline')).map((parts) => parts.join('<br>')),
  ),
}));

const { block } = fc.letrec<{ block: string }>((tie) => ({
  block: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(fc.constantFrom('p', 'h2', 'div'), inline).map(wrap),
    fc.tuple(fc.constant('pre'), text).map(wrap),
    fc.tuple(fc.constantFrom('blockquote', 'div', 'section'), tie('block')).map(wrap),
    fc
      .tuple(
        fc.constantFrom('ul', 'ol', 'ol start="7"'),
        fc.array(tie('block'), { minLength: 1, maxLength: 3 }),
      )
      .map(([name, items]) => wrap([name, items.map((item) => wrap(['li', item])).join('')])),
    fc
      .array(fc.array(inline, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 3 })
      .map((rows) =>
        wrap([
          'table',
          rows.map((row) => wrap(['tr', row.map((cell) => wrap(['td', cell])).join('')])).join(''),
        ]),
      ),
    fc.tuple(tie('block'), tie('block')).map((parts) => parts.join('')),
  ),
}));

function wrap([name, inner]: readonly [string, string]): string {
  return `<${name}>${inner}</${name.split(' ')[0] ?? ''}>`;
}

test(
  'property: a Markdown reader shows the text of the page, no more and no less',
  { timeout: 300_000 },
  () => {
    fc.assert(
      fc.property(block, (html) => {
        const expected = parseHtml(html).body.textContent.replaceAll(/\s/gu, '');
        expect({ html, shown: shown(convert(html)) }).toEqual({ html, shown: expected });
      }),
      { numRuns: RUNS, seed: 20_261_130 },
    );
  },
);
