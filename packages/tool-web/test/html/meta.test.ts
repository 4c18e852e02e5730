import { expect, test } from 'vitest';
import { charsetParameter, metaCharset } from '../../src/html/meta-charset.ts';
import { metaRefreshTarget } from '../../src/html/meta-refresh.ts';

test.each<[string, string | undefined]>([
  ['<meta charset=Shift_JIS><p>', 'Shift_JIS'],
  ['<meta charset="utf-8"/>', 'utf-8'],
  ["<META CHARSET='GBK'>", 'GBK'],
  ['<meta http-equiv="Content-Type" content="text/html; charset=euc-kr">', 'euc-kr'],
  ['<meta content="text/html; charset=euc-kr" http-equiv=content-type>', 'euc-kr'],
  ['<meta name=x content="text/html; charset=euc-kr">', undefined],
  ['<!-- charset=koi8-r <meta charset=koi8-r> --><meta charset=utf-8>', 'utf-8'],
  ['<!-- unclosed <meta charset=koi8-r>', undefined],
  ['<?xml version="1.0" encoding="ISO-8859-2"?><html>', 'ISO-8859-2'],
  [`${' '.repeat(1024)}<meta charset=gbk>`, undefined],
  ['<metadata charset=x>', undefined],
  ['<meta data-charset=x charset=y>', 'y'],
  ['', undefined],
])('the declaration in %j', (html, label) => {
  expect(metaCharset(Buffer.from(html))).toBe(label);
});

test.each<[string, string | undefined]>([
  ['text/html; charset=gbk', 'gbk'],
  ['text/html;charset="GBK"', 'GBK'],
  ["text/html; charset='x'", 'x'],
  ['text/html; boundary=a; Charset = b', 'b'],
  ['text/html', undefined],
])('the parameter in %j', (type, label) => {
  expect(charsetParameter(type)).toBe(label);
});

const refresh = (content: string): string => `<meta http-equiv="refresh" content="${content}">`;

test.each<[string, string | undefined]>([
  [refresh('0; url=/real'), 'https://site.test/real'],
  [refresh("1;URL='/real'"), 'https://site.test/real'],
  [refresh('0;url=http://127.0.0.1:8080/'), 'http://127.0.0.1:8080/'],
  [refresh('0, /real'), 'https://site.test/real'],
  [refresh('0 /real#x'), 'https://site.test/real'],
  ['<meta content=\'0;url="/real"\' HTTP-EQUIV=Refresh>', 'https://site.test/real'],
  [`<noscript>${refresh('0;url=/real')}</noscript>`, 'https://site.test/real'],
  [refresh('5'), undefined],
  [refresh('30; url=/later'), undefined],
  [refresh('0; url=/page'), undefined],
  [refresh('0; url=#top'), undefined],
  [refresh('0; url='), undefined],
  [refresh('0; url=http://['), undefined],
  [refresh('soon; url=/x'), undefined],
  ['<meta http-equiv=refresh>', undefined],
  ['<meta name=refresh content="0;url=/x">', undefined],
])('the redirect in %s', (html, target) => {
  expect(metaRefreshTarget(html, 'https://site.test/page')).toBe(target);
});
