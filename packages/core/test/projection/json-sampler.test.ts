import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonSampler } from '../../src/projection/json-sampler.ts';

const numRuns = process.env['TOOLWRIGHT_LONG'] === '1' ? 50_000 : 2000;

/** Reads a text in chunks of some bytes; what kind of JSON the sampler takes it for. */
function kindOf(bytes: Uint8Array, chunkBytes: number): 'document' | 'lines' | undefined {
  const sampler = new JsonSampler(8, 100_000);
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    sampler.push(bytes.subarray(at, at + chunkBytes));
  }
  return sampler.finish()?.kind;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What it should take it for, by the parser of the platform. */
function expectedKind(text: string): 'document' | 'lines' | undefined {
  if (isJson(text)) return /^[ \t\r\n]*[[{]/.test(text) ? 'document' : undefined;
  const lines = text.split('\n').filter((line) => /[^ \t\r]/.test(line));
  const isLines =
    lines.length > 1 && lines.every((line) => /^[ \t\r]*[[{]/.test(line) && isJson(line));
  return isLines ? 'lines' : undefined;
}

const containers = fc
  .json({ maxDepth: 4 })
  .chain((text) => fc.constantFrom(text, `[${text}]`, `{"a":${text}}`, `[${text},${text}]`));
const spaced = fc
  .tuple(containers, fc.constantFrom(0, 1, '\t'))
  .map(([text, space]) => JSON.stringify(JSON.parse(text), undefined, space));
const handWritten = fc.constantFrom(
  '[1.0,-0,-0.5e+10,1E2,0.1e-3]',
  '{"\\u0041\\"\\\\\\/\\b\\f\\n\\r\\t":"\\ud83d\\ude00"}',
  '[true,false,null,[],{},""]',
  ' \t\r\n{ "a" : [ 1 , 2 ] , "b" : { } } \n',
);
const texts = fc.oneof(
  spaced,
  handWritten,
  fc.array(fc.oneof(containers, handWritten), { maxLength: 4 }).map((list) => list.join('\n')),
);
const intruders = fc.constantFrom(
  '',
  ',',
  ':',
  '"',
  '\\',
  '[',
  ']',
  '{',
  '}',
  '0',
  '-',
  '.',
  'e',
  '+',
  't',
  'x',
  '\n',
  ' ',
  '\t',
  '\u0001',
  '\\u12',
  'é',
);

describe('a JSON sampler', { timeout: 600_000 }, () => {
  it('takes a text for JSON exactly where the parser of the platform does', () => {
    const seen = { document: 0, lines: 0, none: 0 };
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(2), intruders, (...[valid, place, cut, intruder]) => {
        const at = place % (valid.length + 1);
        const text = valid.slice(0, at) + intruder + valid.slice(at + cut);
        const expected = expectedKind(text);
        seen[expected ?? 'none'] += 1;
        const bytes = Buffer.from(text);
        expect(kindOf(bytes, bytes.length + 1)).toBe(expected);
        expect(kindOf(bytes, 1)).toBe(expected);
        expect(kindOf(bytes, 7)).toBe(expected);
      }),
      { numRuns },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(numRuns / 50);
  });

  it.each([
    ['', undefined],
    [' \n', undefined],
    ['1', undefined],
    ['"x"', undefined],
    ['[', undefined],
    ['[1', undefined],
    ['[1]x', undefined],
    ['[1][2]', undefined],
    ['[1]\n2', undefined],
    ['[1]\n\n{}\n', 'lines'],
    ['{"a":1}\r\n{"a":2}\r\n', 'lines'],
    ['{\n"a":1}\n{"a":2}', undefined],
    ['{"a":1}\n{"a":2}\n{"a"', undefined],
    ['[01]', undefined],
    ['[1.]', undefined],
    ['[-]', undefined],
    ['[1e]', undefined],
    ['[nul]', undefined],
    ['[nulll]', undefined],
    ['["\\x"]', undefined],
    ['["\\u00g0"]', undefined],
    ['[1,]', undefined],
    ['{"a":1,}', undefined],
    ['{"a"}', undefined],
    ['{1:2}', undefined],
    ['[1}', undefined],
    ['["\t"]', undefined],
    ['\ufeff[1]', undefined],
    ['[2026-11-30] INFO started', undefined],
  ])('takes %j for %j', (text, kind) => {
    expect(expectedKind(text)).toBe(kind);
    expect(kindOf(Buffer.from(text), 1)).toBe(kind);
    expect(kindOf(Buffer.from(text), 1000)).toBe(kind);
  });

  it('gives up on a text nested a hundred thousand deep', () => {
    const text = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(kindOf(Buffer.from(text), 4096)).toBeUndefined();
  });
});
