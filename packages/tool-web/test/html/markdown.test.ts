import { describe, expect, test } from 'vitest';
import { convertPage } from '../../src/html/convert-page.ts';

const md = (html: string): string =>
  convertPage(html, { url: 'https://site.test/dir/page', format: 'markdown', bodyOnly: true }).text;
const plain = (html: string): string =>
  convertPage(html, { url: 'https://site.test/dir/page', format: 'text', bodyOnly: true }).text;

test('H2MD-004: code deeper in pre, its language, breaks, and no button', () => {
  expect(
    md(
      '<pre><div><button>Copy</button><code class="hljs language-ts"><span>let</span> x;<br>y</code></div></pre>',
    ),
  ).toBe('```ts\nlet x;\ny\n```');
});

test('H2MD-005: fences longer than what they hold', () => {
  expect(md('<pre><code>```\ninner\n```</code></pre>')).toBe('````\n```\ninner\n```\n````');
  expect(md('<p><code>a`b</code></p>')).toBe('``a`b``');
  expect(md('<p><code>`</code></p>')).toBe('`` ` ``');
});

test('H2MD-007: tables', () => {
  expect(md('<table><tr><th>a|b<th>c<tr><td><p>1</p><p>2</p><td><br></table>')).toBe(
    '| a\\|b | c |\n| --- | --- |\n| 1 2 | |',
  );
  expect(
    md(
      '<table><tr><th>a<th>b<th>c<tr><td colspan=2>x<td>y<tr><td rowspan=2>p<td>q<td>r<tr><td>s<td>t</table>',
    ),
  ).toBe('| a | b | c |\n| --- | --- | --- |\n| x | | y |\n| p | q | r |\n| | s | t |');
  expect(md('<table><tr><td>left<td><table><tr><th>h<th>i<tr><td>1<td>2</table></table>')).toBe(
    'left\n\n| h | i |\n| --- | --- |\n| 1 | 2 |',
  );
});

test('H2MD-008: entities, blanks, invisible text', () => {
  expect(
    md(
      '<p>a&nbsp;b &copy; &#x1F600; &lt;tag&gt; 1*2*3 _x_ [y](z)</p><script>bad</script><style>bad</style><!-- bad -->',
    ),
  ).toBe(String.raw`a b © 😀 \<tag\> 1\*2\*3 \_x\_ [y\](z)`);
});

describe('H2MD-009: deep nesting', () => {
  test.each<[string, string, (text: string) => boolean]>([
    ['50,000 div', `${'<div>'.repeat(50_000)}x`, (text) => text.includes('x')],
    [
      '5,000 wbr',
      `<p>${'<wbr>n'.repeat(5000)}`,
      (text) => (text.match(/n/gu) ?? []).length === 5000,
    ],
    ['20,000 unclosed b', `<p>${'<b>'.repeat(20_000)}x`, (text) => text.includes('x')],
    ['10,000 dl dd', `${'<dl><dd>'.repeat(10_000)}x`, (text) => text.includes('x')],
    ['300 lists', `${'<ul><li>'.repeat(300)}x`, (text) => text.includes('x')],
    [
      '300 quotes with many lines',
      `${'<blockquote>'.repeat(300)}${'line<br>'.repeat(5000)}`,
      (text) => text.length < 500_000,
    ],
  ])('%s', (_name, html, holds) => {
    expect(holds(md(html))).toBe(true);
    expect(holds(plain(html))).toBe(true);
  });

  test('a line of very many pieces is put together in time that grows with its length', () => {
    const link = '[w](https://site.test/x)';
    const text = md(`<p>${'<a href=/x>w</a> <q>q</q>! '.repeat(30_000)}`);
    expect(text).toBe(Array.from({ length: 30_000 }, () => `${link} “q”!`).join(' '));
  });

  test.each([
    ['blocks', `<div>${'<p>w</p>'.repeat(130_000)}</div>`, 130_000],
    ['pieces', `<p><span>${'<i>w</i> '.repeat(130_000)}</span>`, 130_000],
    ['lines that are marked', `<p>a<b>${'w<br>'.repeat(130_000)}</b>`, 130_000],
    ['rows', `<table>${'<tr><td>w<td>a'.repeat(130_000)}</table>`, 130_000],
    ['cells of a row', `<table><tr>${'<td>w'.repeat(50_000)}</table>`, 50_000],
    ['marks around a long text', `<p>${'<b><i><s>'.repeat(120)}${'w '.repeat(200_000)}`, 200_000],
  ])('no number of %s is too many', (_name, html, count) => {
    expect(md(html).split('w')).toHaveLength(count + 1);
  });

  test('is told', () => {
    const page = convertPage('<div>'.repeat(1000), {
      url: 'https://site.test/',
      format: 'markdown',
      bodyOnly: true,
    });
    expect(page.isFlattened).toBe(true);
  });
});

describe('blocks', () => {
  test.each([
    ['numbers of items', '<ol><li>a<li value=7>b<li>c<li value=x>d</ol>', '1. a\n7. b\n8. c\n9. d'],
    ['headings', '<h1>A</h1><h2>B <em>c</em></h2><h3></h3>', '# A\n\n## B *c*'],
    ['paragraphs and breaks', '<p>one<br>two</p><p>three', 'one  \ntwo\n\nthree'],
    ['loose text beside blocks', 'a <div>b</div> c', 'a\n\nb\n\nc'],
    [
      'nested lists',
      '<ul><li>a<ul><li>b</ul><li>c<ol start=3><li>d<li>e</ol></ul>',
      '- a\n  - b\n\n- c\n\n  3. d\n  4. e',
    ],
    ['lists with paragraphs', '<ol><li><p>a</p><p>b</p><li>c</ol>', '1. a\n\n   b\n\n2. c'],
    ['a list in a list without an item', '<ul><li>a</li><ul><li>b</li></ul></ul>', '- a\n- - b'],
    ['code in a list', '<ul><li>a<pre>x\n  y</pre></ul>', '- a\n\n  ```\n  x\n    y\n  ```'],
    [
      'task lists',
      '<ul><li><input type=checkbox checked> a<li><input type=checkbox> b</ul>',
      '- [x] a\n- [ ] b',
    ],
    ['quotes', '<blockquote><p>a</p><blockquote>b</blockquote></blockquote>', '> a\n>\n> > b'],
    ['rules', 'a<hr>b', 'a\n\n---\n\nb'],
    ['definitions', '<dl><dt>T</dt><dd>D</dd></dl>', '**T**\n\n: D'],
    ['details', '<details><summary>S</summary>text</details>', '**S**\n\ntext'],
    [
      'captions',
      '<figure><img src=a.png alt=A><figcaption>cap</figcaption></figure>',
      '![A](https://site.test/dir/a.png)\n\ncap',
    ],
    ['lines of code in blocks', '<pre><div>a</div><div>b</div></pre>', '```\na\nb\n```'],
    [
      'line numbers',
      '<pre><span class="lineno">1</span>a\n<span class="line-number">2</span>b</pre>',
      '```\na\nb\n```',
    ],
    [
      'languages',
      '<pre class="brush: js">x</pre><div class="highlight-source-python"><pre>y</pre></div>',
      '```js\nx\n```\n\n```python\ny\n```',
    ],
    [
      'empty things',
      '<p></p><ul><li></ul><pre> </pre><blockquote></blockquote><table></table>',
      '',
    ],
    [
      'starts of lines',
      '<p># a</p><p>- b</p><p>1. c</p><p>&gt; d</p><p>---</p><p>+ e</p><p>1986. f',
      '\\# a\n\n\\- b\n\n1\\. c\n\n\\> d\n\n\\---\n\n\\+ e\n\n1986\\. f',
    ],
  ])('%s', (_name, html, expected) => {
    expect(md(html)).toBe(expected);
  });
});

describe('inline', () => {
  test.each([
    ['emphasis', 'a <b>b</b> <i>c</i> <s>d</s>', 'a **b** *c* ~~d~~'],
    ['blanks inside of marks go outside', 'a<b> b </b>c', 'a **b** c'],
    ['empty marks vanish', 'a<b></b><i> </i>b', 'a b'],
    ['the same mark twice', '<b>a<strong>b</strong></b>', '**ab**'],
    ['marks that a reader would not see', 'a<b>(b)</b>c', 'a(b)c'],
    ['links', '<a href="../x?a=1&amp;b=2#f">t</a>', '[t](https://site.test/x?a=1&b=2#f)'],
    ['links without a text', 'a<a href=x></a>b', 'ab'],
    [
      'links with parentheses',
      '<a href="/w/A_(b)">t</a><a href="/w/A)b">u</a>',
      '[t](https://site.test/w/A_(b))[u](<https://site.test/w/A)b>)',
    ],
    [
      'links to nowhere',
      '<a href="javascript:x">a</a> <a href="data:x">b</a> <a>c</a> <a href="http://[">d</a>',
      'a b c d',
    ],
    ['brackets in links', '<a href=/x>[a] b</a>', String.raw`[\[a\] b](https://site.test/x)`],
    [
      'links around blocks',
      '<a href=/x><h3>Title</h3><p>text</p></a>',
      '### [Title](https://site.test/x)\n\ntext',
    ],
    [
      'images in links',
      '<a href=/x><img src=/i.png alt="a [b]"></a>',
      String.raw`[![a \[b\]](https://site.test/i.png)](https://site.test/x)`,
    ],
    [
      'images with inline data',
      '<img src="data:image/png;base64,xx" alt=A> <img src="data:x">',
      'A',
    ],
    ['images loaded late', '<img data-src=/late.png>', '![](https://site.test/late.png)'],
    [
      'an exclamation before a link',
      'hey!<a href=/x>t</a>',
      String.raw`hey\![t](https://site.test/x)`,
    ],
    ['snake case and products', 'snake_case_name 2 * 3 a[0]', 'snake_case_name 2 * 3 a[0]'],
    ['backslashes', String.raw`C:\dir\*`, String.raw`C:\dir\\\*`],
    ['entities that are text', '&amp;copy; &amp; AT&amp;T', String.raw`\&copy; & AT&T`],
    [
      'superscripts',
      'x<sup>2</sup> 1<sup>st</sup> y<sup><a href="#n">[1]</a></sup>',
      'x^2 1st y[1]',
    ],
    ['quotes', '<q>a</q>', '“a”'],
    ['ruby', '<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>', '漢kan'],
    [
      'mathematics',
      '<math><annotation encoding="application/x-tex">x^2</annotation></math>',
      '$x^2$',
    ],
    [
      'hidden things',
      'a<span hidden>b</span><span style="display: none">c</span><span aria-hidden=true>d</span>',
      'a',
    ],
    ['controls', 'a<button>b</button><select><option>c</select><textarea>d</textarea>', 'a'],
    ['permalinks', '<h2>T<a href="#t">¶</a></h2>', '## T'],
    ['media', '<video src=/v.mp4>no</video>', '[video](https://site.test/v.mp4)'],
    ['white space', 'a \n\t b<!-- c -->  d', 'a b d'],
  ])('%s', (_name, html, expected) => {
    expect(md(html)).toBe(expected);
  });
});

test('names of elements and attributes are read in any case', () => {
  expect(md('<P><A HREF="/x" Title=t>a</A><IMG SRC=/i.png ALT=b></P>')).toBe(
    '[a](https://site.test/x)![b](https://site.test/i.png)',
  );
});

test('plain text has the lines without the markup', () => {
  expect(
    plain(
      '<h1>T</h1><p>a <b>b</b> <a href=/x>c</a> 1*2 <img alt=D src=/d><ul><li>e</ul><pre>f</pre>',
    ),
  ).toBe('T\n\na b c 1*2 D\n\n- e\n\nf');
});

describe('the part of the page', () => {
  test('main, when there is one', () => {
    expect(md('<header>h</header><main><p>m</main><footer>f</footer>')).toBe('m');
    expect(md('<div role=main>m</div><p>f')).toBe('m');
  });

  test('else the body without navigation, unless that is all there is', () => {
    expect(md('<nav>n</nav><p>long enough text')).toBe('long enough text');
    expect(md('<nav><a href=/a>a</a></nav>')).toBe('[a](https://site.test/a)');
  });

  test('the whole body, when asked for', () => {
    const all = convertPage('<nav>n</nav><main>m</main>', {
      url: 'https://site.test/',
      format: 'markdown',
      bodyOnly: false,
    });
    expect(all.text).toBe('n\n\nm');
  });

  test('FETCH-010: what is there without scripts, and the warning', () => {
    const page = convertPage(
      '<html><body><noscript>need js</noscript><div id=app></div><script src="/a.js"></script></body></html>',
      { url: 'https://site.test/', format: 'markdown', bodyOnly: true },
    );
    expect(page).toEqual({
      text: 'need js',
      title: '',
      heading: '',
      isThin: true,
      isFlattened: false,
    });
  });

  test('a base element counts, for http alone', () => {
    expect(md('<base href="/other/"><a href=x>t</a>')).toBe('[t](https://site.test/other/x)');
    expect(md('<base href="file:///"><a href=x>t</a>')).toBe('[t](https://site.test/dir/x)');
  });

  test('fragments, pages without body, and whole pages give the same', () => {
    for (const html of [
      '<title>T</title><p>a<p>b',
      '<html><title>T</title><p>a<p>b',
      '<!doctype html><html><head><title>T</title></head><body><p>a</p><p>b</p></body></html>',
      '<meta charset=utf-8>\n<title>T</title>\n<body><p>a<p>b',
    ]) {
      const page = convertPage(html, {
        url: 'https://site.test/',
        format: 'markdown',
        bodyOnly: true,
      });
      expect([page.text, page.title]).toEqual(['a\n\nb', 'T']);
    }
    expect(md('just text')).toBe('just text');
    expect(md('')).toBe('');
    expect(md('a<html><body>b</body></html>c')).toBe('abc');
  });
});

test('HTML stays HTML, without what runs', () => {
  const html = convertPage(
    '<main><p onclick="x()" style="color:red">a <a href="y">b</a><a href="javascript:z">c</a><script>d</script><iframe src=e></iframe></p></main>',
    { url: 'https://site.test/dir/', format: 'html', bodyOnly: true },
  );
  expect(html.text).toBe('<p>a <a href="https://site.test/dir/y">b</a><a>c</a></p>');
});
