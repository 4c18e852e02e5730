import { assert, property, stringMatching } from 'fast-check';
import { expect, test } from 'vitest';
import { toPackageNames } from '../../src/scaffold/package-names.ts';

test('all names come from that of the package', () => {
  expect(toPackageNames('@acme/tool-line-count')).toEqual({
    packageName: '@acme/tool-line-count',
    folder: 'tool-line-count',
    subject: 'line-count',
    factory: 'lineCount',
    tool: 'line_count',
  });
  expect(toPackageNames('toolwright-tool-weather')).toMatchObject({ subject: 'weather' });
  expect(toPackageNames('tool')).toMatchObject({ subject: 'tool', factory: 'tool' });
  expect(toPackageNames('tool-2fa')).toMatchObject({ subject: 'tool-2fa', factory: 'tool2fa' });
  expect(toPackageNames('tool-delete')).toMatchObject({ factory: 'deleteTools', tool: 'delete' });
});

test('a name that npm, a path or a tool could not have is refused', () => {
  const bad = [
    '',
    '.',
    '..',
    '../x',
    '/x',
    'a/b',
    '@/x',
    '@acme/',
    '@acme/x/y',
    'Weather',
    'a_b',
    'a b',
    'a--b',
    '-a',
    'a-',
    '1a',
    'é',
    'a\u0000',
    'a\nb',
    'node_modules/x',
    'a'.repeat(65),
  ];
  for (const name of bad) {
    expect(() => toPackageNames(name)).toThrow(
      expect.objectContaining({ type: 'invalid_argument', reason: 'bad_name' }),
    );
  }
});

test('what is not refused makes names that hold', () => {
  assert(
    property(stringMatching(/^[a-z][a-z0-9]{0,9}(-[a-z0-9]{1,9}){0,5}$/), (name) => {
      const names = toPackageNames(name);
      expect(names.tool).toMatch(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/);
      expect(names.subject).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
      expect(names.factory).toMatch(/^[a-z][A-Za-z0-9]*$/);
    }),
  );
});
