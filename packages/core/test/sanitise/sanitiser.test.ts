import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secretSpellings } from '../../src/sanitise/secret-spellings.ts';
import { createSanitiser } from '../../src/sanitise/sanitiser.ts';

const numRuns = process.env['TOOLWRIGHT_LONG'] === '1' ? 5000 : 400;
const token = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';
const sanitiser = createSanitiser([token, 'correct horse/battery "staple"']);

/** What a plain reading of the rule gives: all finds, overlapping ones joined. */
function hideNaively(text: string, spellings: readonly string[]): string {
  const spans: { start: number; end: number }[] = [];
  for (const spelling of spellings) {
    for (let at = text.indexOf(spelling); at !== -1; at = text.indexOf(spelling, at + 1)) {
      spans.push({ start: at, end: at + spelling.length });
    }
  }
  spans.sort((one, other) => one.start - other.start);
  let clean = '';
  let end = 0;
  for (const span of spans) {
    if (span.start >= end) clean += `${text.slice(end, span.start)}[REDACTED]`;
    end = Math.max(end, span.end);
  }
  return clean + text.slice(end);
}

const secrets = fc.array(
  fc.string({ unit: fc.constantFrom('a', 'b', 'é', '"', '/'), minLength: 6, maxLength: 10 }),
  {
    minLength: 1,
    maxLength: 4,
  },
);

/** Secrets, and text in which they stand whole, broken off and side by side. */
const plantedTexts = secrets.chain((list) => {
  const whole = fc.constantFrom(...list.flatMap((secret) => secretSpellings(secret)));
  const part = fc.tuple(whole, fc.nat(10)).map(([text, length]) => text.slice(0, length));
  const filler = fc.string({
    unit: fc.constantFrom('a', 'b', 'é', '"', '/', 'x', '😀', '\\'),
    maxLength: 6,
  });
  const texts = fc
    .array(fc.oneof(whole, part, filler), { maxLength: 12 })
    .map((parts) => parts.join(''));
  return fc.record({ list: fc.constant(list), text: texts });
});

describe('a sanitiser of text', { timeout: 600_000 }, () => {
  it('hides every spelling of every secret, and changes nothing else', () => {
    fc.assert(
      fc.property(plantedTexts, ({ list, text }) => {
        const spellings = list.flatMap((secret) => secretSpellings(secret));
        const clean = createSanitiser(list).text(text);
        expect(clean).toBe(hideNaively(text, spellings));
      }),
      { numRuns },
    );
  });

  it('gives the same in pieces, and for bytes', () => {
    const cuts = fc.array(fc.nat(12), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(plantedTexts, cuts, ({ list, text }, sizes) => {
        const hiding = createSanitiser(list);
        const whole = hiding.text(text);
        expect(Buffer.from(hiding.bytes(Buffer.from(text))).toString()).toBe(whole);
        const texts = hiding.textStream();
        const bytes = hiding.byteStream();
        const outTexts: string[] = [];
        const outBytes: Buffer[] = [];
        const encoded = Buffer.from(text);
        const shared = Buffer.alloc(16);
        for (let turn = 0, at = 0; at < encoded.length; turn += 1) {
          const size = 1 + (sizes[turn % sizes.length] ?? 0);
          outTexts.push(texts.push(text.slice(at, at + size)));
          const part = encoded.subarray(at, at + size);
          shared.set(part);
          outBytes.push(Buffer.from(bytes.push(shared.subarray(0, part.length))));
          at += size;
        }
        outTexts.push(texts.end());
        outBytes.push(Buffer.from(bytes.end()));
        expect(outTexts.join('')).toBe(whole);
        expect(Buffer.concat(outBytes).toString()).toBe(whole);
      }),
      { numRuns },
    );
  });

  it('never lets the beginning of a secret out before it knows that it is none', () => {
    const stream = sanitiser.textStream();
    const pieces = Array.from(`a ${token.slice(0, 30)}!${token} b`, (unit) => stream.push(unit));
    expect(pieces.join('')).toBe(`a ${token.slice(0, 30)}![REDACTED] b`);
    expect(pieces.findIndex((piece) => piece.includes('ghp'))).toBe(32);
    expect(pieces.slice(2, 32).join('')).toBe('');
    expect(stream.end()).toBe('');
  });

  it('lets what was held back out at the end', () => {
    const stream = sanitiser.textStream();
    expect(stream.push(`x${token.slice(0, -1)}`)).toBe('x');
    expect(stream.end()).toBe(token.slice(0, -1));
  });

  it('hides secrets that overlap as one, and neighbours one by one', () => {
    const hiding = createSanitiser(['abcabcabc', 'abcdefghi']);
    expect(hiding.text('-abcabcabcdefghi-')).toBe('-[REDACTED]-');
    expect(hiding.text('-abcabcabcabcdefghi-')).toBe('-[REDACTED]-');
    expect(hiding.text('abcdefghiabcdefghi')).toBe('[REDACTED][REDACTED]');
  });

  it('hides a secret within a longer one that began before it', () => {
    const hiding = createSanitiser(['234567', '0123456789']);
    expect(hiding.text('x0123456789x')).toBe('x[REDACTED]x');
    expect(hiding.text('x012345678-x')).toBe('x01[REDACTED]8-x');
  });

  it('replaces lone surrogates, also between pieces, and keeps pairs together', () => {
    for (const each of [sanitiser, createSanitiser([])]) {
      expect(each.text('ok\ud83d end')).toBe('ok\ufffd end');
      const stream = each.textStream();
      const pieces = [stream.push('a\ud83d'), stream.push('\ude00b\ud83d'), stream.push('c\ude00')];
      expect(pieces.join('') + stream.end()).toBe('a😀b\ufffdc\ufffd');
      const broken = each.textStream();
      expect(broken.push('x\ud83d') + broken.end()).toBe('x\ufffd');
    }
  });

  it('leaves every other character as it is', () => {
    const text = '\u0000\u0007\r\n\ufeff\u202e\ufffd€😀';
    expect(sanitiser.text(text)).toBe(text);
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    expect(sanitiser.bytes(bytes)).toBe(bytes);
  });

  it('finds a secret in a large text across the slices in which it is read', () => {
    for (const before of [65_500, 65_530, 65_536, 131_060]) {
      const text = 'x'.repeat(before) + token + 'y'.repeat(70_000);
      expect(sanitiser.text(text)).toBe(`${'x'.repeat(before)}[REDACTED]${'y'.repeat(70_000)}`);
    }
  });

  it('holds back no more than a secret, however long a chain of overlaps is', () => {
    const hiding = createSanitiser(['aaaaaaaaaa']);
    const stream = hiding.byteStream();
    const shown: number[] = [];
    for (let turn = 0; turn < 100; turn += 1) {
      shown.push(stream.push(Buffer.from('a'.repeat(1000))).length);
    }
    expect(shown.reduce((sum, length) => sum + length, 0)).toBe('[REDACTED]'.length);
    expect(stream.push(Buffer.from('b')).length + stream.end().length).toBe(1);
  });
});

describe('a sanitiser of outputs', () => {
  it('keeps the form of the output', async () => {
    expect(sanitiser.output(`t ${token}`)).toBe('t [REDACTED]');
    expect(Buffer.from(sanitiser.output(Buffer.from(`t ${token}`))).toString()).toBe(
      't [REDACTED]',
    );
    const chunks: Buffer[] = [];
    for await (const chunk of sanitiser.output(characters(`t ${token} u`))) {
      chunks.push(Buffer.from(chunk));
    }
    expect(Buffer.concat(chunks).toString()).toBe('t [REDACTED] u');
  });

  it('closes the stream that it reads when nobody reads on', async () => {
    let isClosed = false;
    async function* endless() {
      try {
        for (;;) yield Buffer.from('x');
      } finally {
        isClosed = true;
      }
    }
    for await (const chunk of sanitiser.output(endless())) {
      expect(chunk.length).toBe(1);
      break;
    }
    expect(isClosed).toBe(true);
  });
});

describe('a sanitiser of JSON', () => {
  it('hides in strings and keys at every depth', () => {
    const value = {
      plain: 1,
      [token]: [`a ${token}`, { deep: [token, null, true, 1.5] }],
      nested: JSON.stringify({ t: 'correct horse/battery "staple"' }),
    };
    expect(sanitiser.json(value)).toEqual({
      plain: 1,
      '[REDACTED]': ['a [REDACTED]', { deep: ['[REDACTED]', null, true, 1.5] }],
      nested: '{"t":"[REDACTED]"}',
    });
    expect(value.nested).toContain('horse');
  });

  it('returns the value itself where there is nothing to hide', () => {
    const value = { a: [1, 'x', { b: null }], ['__proto__']: 1 };
    expect(sanitiser.json(value)).toBe(value);
    expect(sanitiser.json(undefined)).toBeUndefined();
  });

  it('loses no property when keys become equal', () => {
    const hiding = createSanitiser(['secret-one', 'secret-two']);
    expect(
      Object.entries(hiding.json({ 'secret-one': 1, '[REDACTED]': 2, 'secret-two': 3 })),
    ).toEqual([
      ['[REDACTED] (2)', 1],
      ['[REDACTED]', 2],
      ['[REDACTED] (3)', 3],
    ]);
  });

  it('keeps a key __proto__ an ordinary key', () => {
    const value = JSON.parse(`{"__proto__":{"admin":"${token}"}}`);
    const clean = sanitiser.json(value);
    expect(Object.keys(clean)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(clean)).toBe(Object.prototype);
    expect(JSON.stringify(clean)).toBe('{"__proto__":{"admin":"[REDACTED]"}}');
  });

  it('hides a number whose digits are a secret', () => {
    const hiding = createSanitiser(['4929123456']);
    expect(hiding.json([4_929_123_456, 4_929_123_457])).toEqual(['[REDACTED]', 4_929_123_457]);
  });

  it('hides whole what is nested too deeply to be read', () => {
    let value: unknown = token;
    for (let depth = 0; depth < 50_000; depth += 1) value = [value];
    const clean = JSON.stringify(sanitiser.json(value));
    expect(clean).toContain('[REDACTED]');
    expect(clean).not.toContain(token);
  });
});

describe('a sanitiser of errors', () => {
  it('hides in message, stack, name, causes and collected errors', () => {
    const cause = new Error(`inner ${token}`);
    const error = new AggregateError([new Error(`one ${token}`), 'plain'], `outer ${token}`, {
      cause,
    });
    error.name = `Named ${token}`;
    const clean = sanitiser.error(error);
    expect(clean).toBeInstanceOf(AggregateError);
    expect(clean).toMatchObject({
      message: 'outer [REDACTED]',
      name: 'Named [REDACTED]',
      cause: { message: 'inner [REDACTED]' },
      errors: [{ message: 'one [REDACTED]' }, 'plain'],
    });
    expect(JSON.stringify(clean, Object.getOwnPropertyNames(clean))).not.toContain(token);
    expect(error.message).toContain(token);
  });

  it('leaves an error that collects none what it is', () => {
    const clean = sanitiser.error(new Error(`one ${token}`));
    expect(clean).toMatchObject({ message: 'one [REDACTED]' });
    expect(clean).not.toBeInstanceOf(AggregateError);
  });

  it('returns an error that says nothing secret as it is', () => {
    const error = new TypeError('x', { cause: new Error('y') });
    expect(sanitiser.error(error)).toBe(error);
    expect(sanitiser.error(undefined)).toBeUndefined();
    expect(sanitiser.error(token)).toBe('[REDACTED]');
  });

  it('ends at causes that go in a circle', () => {
    const error = new Error(token);
    error.cause = error;
    expect(sanitiser.error(error)).toMatchObject({ message: '[REDACTED]' });
  });
});

describe('createSanitiser', () => {
  it('without secrets passes everything as it is', () => {
    const passing = createSanitiser([]);
    expect(passing.active).toBe(false);
    const output = characters('x');
    expect(passing.output(output)).toBe(output);
    const value = { a: ['x'] };
    expect(passing.json(value)).toBe(value);
    expect(sanitiser.active).toBe(true);
  });

  it('refuses a secret that would hide ordinary text, without saying it', () => {
    for (const short of ['abcde', '        ', ' abcde\n', '']) {
      expect(() => createSanitiser([token, short])).toThrow(
        'secrets[1] must be a text of at least 6 characters without surrounding blanks',
      );
    }
  });

  it('works with a thousand secrets', () => {
    const many = Array.from(
      { length: 1000 },
      (_, index) => `secret-number-${index}-${index * 7919}`,
    );
    const hiding = createSanitiser(many);
    const text = many.map((secret, index) => `${index}: ${secret}\n`).join('');
    expect(hiding.text(text)).toBe(many.map((_, index) => `${index}: [REDACTED]\n`).join(''));
  });
});

async function* characters(text: string): AsyncGenerator<Uint8Array> {
  for (const character of text) yield Buffer.from(character);
}
