import { expect, test } from 'vitest';
import { pdfToText } from '../../src/index.ts';

/** A PDF of the given pages of lines, built by hand with a right cross-reference table. */
function pdfOf(pages: readonly (readonly string[])[]): Buffer {
  const font = 3 + 2 * pages.length;
  const bodies = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((_, index) => `${3 + 2 * index} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    ...pages.flatMap((lines, index) => {
      const text = lines.map((line) => `(${line.replaceAll(/[()\\]/g, '\\$&')}) Tj T*`).join(' ');
      const content = `BT /F1 12 Tf 72 720 Td 14 TL ${text} ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${4 + 2 * index} 0 R /Resources << /Font << /F1 ${font} 0 R >> >> >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let file = '%PDF-1.4\n';
  const offsets: number[] = [];
  bodies.forEach((body, index) => {
    offsets.push(file.length);
    file += `${index + 1} 0 obj\n${body}\nendobj\n`;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const start = file.length;
  file += `xref\n0 ${bodies.length + 1}\n0000000000 65535 f \n${table}`;
  file += `trailer\n<< /Size ${bodies.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

test('text with a mark for each page', async () => {
  const bytes = pdfOf([['Hello (world)', 'second line'], [], ['Last page']]);
  const before = Buffer.from(bytes);
  expect(await pdfToText(bytes)).toEqual({
    text: [
      '--- page 1 of 3 ---',
      'Hello (world)',
      'second line',
      '',
      '--- page 2 of 3 ---',
      '[no text on this page]',
      '',
      '--- page 3 of 3 ---',
      'Last page',
      '',
    ].join('\n'),
    pages: 3,
    readPages: 3,
  });
  expect(bytes.equals(before)).toBe(true);
});

test('stops after maxPages and says how many there are', async () => {
  expect(await pdfToText(pdfOf([['one'], ['two']]), { maxPages: 1 })).toEqual({
    text: '--- page 1 of 2 ---\none\n',
    pages: 2,
    readPages: 1,
  });
});

test('an abort ends it with the reason', async () => {
  const reason = new Error('enough');
  await expect(pdfToText(pdfOf([['one']]), { signal: AbortSignal.abort(reason) })).rejects.toBe(
    reason,
  );
});

test.each(['%PDF-1.4 junk', '%PDF-1.7\n1 0 obj\n<<'])('%j is malformed', async (text) => {
  await expect(pdfToText(Buffer.from(text))).rejects.toMatchObject({ code: 'malformed' });
});
