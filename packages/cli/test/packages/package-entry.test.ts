import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { JsonObject } from '@toolwright/core';
import { expect, onTestFinished, test } from 'vitest';
import { entryOf, findPackage } from '../../src/packages/package-entry.ts';

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tw-entry-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

test('the entry is the one that import takes', () => {
  const folder = folderWith({ 'a.js': '', 'b.js': '', 'index.js': '' });
  const entry = (manifest: JsonObject) => entryOf({ folder, manifest }).slice(folder.length + 1);
  expect(entry({})).toBe('index.js');
  expect(entry({ main: 'a.js' })).toBe('a.js');
  expect(entry({ exports: './a.js' })).toBe('a.js');
  expect(entry({ exports: { import: './a.js', default: './b.js' } })).toBe('a.js');
  expect(entry({ exports: { require: './b.js', default: './a.js' } })).toBe('a.js');
  expect(entry({ exports: { '.': { types: './x.d.ts', node: { import: './a.js' } } } })).toBe(
    'a.js',
  );
  expect(entry({ exports: { '.': [{ browser: './x.js' }, null, './b.js'] } })).toBe('b.js');
  for (const exports of ['a.js', {}, { '.': null }, { './a': './a.js' }, { require: './a.js' }]) {
    expect(() => entry({ exports })).toThrow(/names no file/);
  }
  expect(() => entry({ exports: './missing.js' })).toThrow(/build it first/);
});

test('a package is found as Node finds it: itself, then the nearest installed one', () => {
  const folder = folderWith({
    'package.json': '{"name":"outer"}',
    'node_modules/x/package.json': '{"name":"x","version":"1.0.0"}',
    'deep/package.json': '{"name":"inner"}',
    'deep/node_modules/x/package.json': '{"name":"x","version":"2.0.0"}',
    'deep/src/a.js': '',
  });
  const at = (name: string, from: string) => findPackage(name, join(folder, from))?.folder;
  expect(at('x', 'deep/src')).toBe(join(folder, 'deep/node_modules/x'));
  expect(at('x', '.')).toBe(join(folder, 'node_modules/x'));
  expect(at('inner', 'deep/src')).toBe(join(folder, 'deep'));
  expect(at('outer', 'deep/src')).toBeUndefined();
  expect(at('no-such-package', 'deep')).toBeUndefined();
});
