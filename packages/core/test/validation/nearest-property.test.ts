import { expect, test } from 'vitest';
import { createValidator } from '../../src/index.ts';

const text = { type: 'string' };
const read = {
  type: 'object',
  additionalProperties: false,
  properties: {
    file_path: text,
    files: { type: 'array', items: { type: 'object' } },
    offset: { type: 'integer' },
    limit: { type: 'integer' },
    cursor: text,
  },
};
const write = {
  type: 'object',
  additionalProperties: false,
  properties: {
    file_path: text,
    content: text,
    mode: { type: 'string', enum: ['overwrite', 'append'] },
    expected_offset: { type: 'integer' },
    dry_run: { type: 'boolean' },
  },
};
const bash = {
  type: 'object',
  additionalProperties: false,
  properties: { command: text, timeout: { type: 'integer' }, cwd: text },
};
const patch = {
  type: 'object',
  additionalProperties: false,
  required: ['diff'],
  properties: { diff: text, file_path: text, dry_run: { type: 'boolean' } },
};

test.each([
  [read, { path: 'a' }, 'file_path'],
  [read, { file: 'a' }, 'file_path'],
  [read, { filepath: 'a' }, 'file_path'],
  [read, { filePath: 'a' }, 'file_path'],
  [read, { filename: 'a' }, 'file_path'],
  [read, { file: [{ path: 'a' }] }, 'files'],
  [read, { paths: [{ path: 'a' }] }, 'files'],
  [read, { file_path: 'a', lines: 5 }, 'limit'],
  [read, { ofset: true }, 'offset'],
  [write, { path: 'a', content: 'b' }, 'file_path'],
  [write, { file_path: 'a', contents: 'b' }, 'content'],
  [write, { file_path: 'a', text: 'b' }, 'content'],
  [write, { file_path: 'a', body: 'b' }, 'content'],
  [bash, { cmd: 'ls' }, 'command'],
  [bash, { command: 'ls', timeout_ms: 5 }, 'timeout'],
  [bash, { command: 'ls', directory: 'x' }, 'cwd'],
  [patch, { patch: '@@' }, 'diff'],
  [patch, { file_path: 'a', content: '@@' }, 'diff'],
  [patch, { path: 'a' }, 'file_path'],
  [patch, { diff: '@@', pth: 'a' }, 'file_path'],
  [patch, { diff: '@@', target: 'a' }, 'file_path'],
])('%# an unknown name is answered with the nearest and the list', (schema, value, nearest) => {
  const result = createValidator(schema).validate(value);
  const message = result.valid ? '' : result.message;
  expect(message).toContain(`did you mean "${nearest}"? allowed: `);
  for (const name of Object.keys(schema.properties)) expect(message).toContain(`"${name}"`);
});
