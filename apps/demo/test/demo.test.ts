import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { parseDemoOptions } from '../src/demo-options.ts';
import { DemoView } from '../src/demo-view.ts';
import { findOverrun } from '../src/planner/find-overrun.ts';
import { runDemo } from '../src/run-demo.ts';

function recordingView() {
  const output = new PassThrough();
  let text = '';
  output.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  return { view: new DemoView(new PassThrough(), output), text: () => text };
}

const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith('toolwright-demo-'));

test(
  'the planner mends the sample, the tests pass, and the copy is gone',
  { timeout: 60_000 },
  async () => {
    const before = copies();
    const { view, text } = recordingView();
    expect(await runDemo(parseDemoOptions([]), view, {})).toBe(0);
    expect(text()).toContain('The job is done');
    expect(text()).toContain('+  for (let i = 0; i < lines.length; i += 1) {');
    expect(text().match(/→ bash .*node --test/g)).toHaveLength(2);
    expect(text()).toContain('→ git {"command":"diff"}');
    expect(text()).toContain('"schema": "a3s.verification_report.v1"');
    expect(text()).toMatch(/"id": "npm-test",[^}]*"status": "passed"/);
    expect(text()).toMatch(/output +\d+ bytes from tools, \d+ bytes to the model/);
    expect(copies()).toEqual(before);
  },
);

test('a model that does nothing fails loudly', { timeout: 60_000 }, async () => {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        id: '1',
        object: 'chat.completion',
        created: 0,
        model: 'lazy',
        choices: [
          { index: 0, message: { role: 'assistant', content: 'All done!' }, finish_reason: 'stop' },
        ],
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  const { view, text } = recordingView();
  try {
    const options = parseDemoOptions([
      '--base-url',
      `http://127.0.0.1:${port}/v1`,
      '--model',
      'lazy',
    ]);
    expect(await runDemo(options, view, {})).toBe(1);
    expect(text()).toContain('All done!');
    expect(text()).toContain('The job is NOT done');
  } finally {
    server.close();
  }
});

test('wrong usage is told', () => {
  expect(() => parseDemoOptions(['--workspace', '.'])).toThrow('--task');
  expect(() => parseDemoOptions(['--max-steps', 'x'])).toThrow('whole number');
});

test('the planner sees a loop that runs past the end, wherever it stands', () => {
  expect(findOverrun('     1\tfor (let i = 0; i < a.length; i++) {')).toBeUndefined();
  expect(
    findOverrun('     1\t// x\n     2\t  for (let j = 1; j <= rows.list.length; j++)'),
  ).toEqual({
    number: 2,
    line: '  for (let j = 1; j <= rows.list.length; j++)',
    mended: '  for (let j = 1; j < rows.list.length; j++)',
  });
});
