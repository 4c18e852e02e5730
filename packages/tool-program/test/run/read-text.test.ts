import { array, assert, constantFrom, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { toReadText } from '../../src/run/read-text.ts';

test('numbered rows become the text again', () => {
  const line = string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n]/g, ''));
  assert(
    property(
      array(line, { minLength: 1 }),
      constantFrom('lf', 'crlf'),
      constantFrom(true, false),
      (lines, eol, finalNewline) => {
        const ending = eol === 'crlf' ? '\r\n' : '\n';
        const text = lines.join(ending) + (finalNewline ? ending : '');
        const output = lines
          .map((each, index) => `${String(index + 1).padStart(6)}\t${each}\n`)
          .join('');
        const metadata = { eol, final_newline: finalNewline, range: { eof: true, cut_lines: [] } };
        expect(toReadText(`${output}[hint]\n`, metadata)).toBe(text);
      },
    ),
  );
});

test('a row that goes on in the next window has no ending', () => {
  const metadata = { eol: 'lf', final_newline: true, range: { eof: false, cut_lines: [2] } };
  expect(toReadText('     1\tone\n     2\ttw\n[line 2 goes on]\n', metadata)).toBe('one\ntw');
});

test('without metadata each row is a line', () => {
  expect(toReadText('     9\tx\n', {})).toBe('x\n');
  expect(toReadText('no rows', {})).toBe('');
});
