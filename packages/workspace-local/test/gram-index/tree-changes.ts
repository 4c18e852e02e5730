import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';

/** Writes a file and makes its directories. */
export function put(root: string, path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

const names = ['a', 'b', 'C.ts', 'd.log', '.e', 'f'];
export const words = ['needle', 'Needle', 'haystack', 'xyzzy', 'straße', 'nee', '东京都', 'K'];
export const pathArbitrary = fc
  .array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join('/'));
const textArbitrary = fc
  .array(fc.constantFrom(...words, '\n', ' ', '\r\n', 'le', 'ha'), { maxLength: 12 })
  .map((parts) => parts.join(''));
export const bytesArbitrary = fc.oneof(
  { weight: 6, arbitrary: textArbitrary.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: textArbitrary.map((text) => Buffer.from(`\uFEFF${text}`, 'utf16le')) },
  { weight: 1, arbitrary: textArbitrary.map((text) => Buffer.from(`${text}\xff\xe9`, 'latin1')) },
  { weight: 1, arbitrary: textArbitrary.map((text) => Buffer.from(`${text}\0`)) },
);
const ruleArbitrary = fc.constantFrom(
  'a',
  '*.log',
  '/b',
  'a/',
  '!a',
  'f\n!f/a',
  '.e',
  '# none',
  '',
);

/** What may happen to a tree. */
export type Change =
  | { readonly kind: 'write' | 'append'; readonly path: string; readonly bytes: Buffer }
  | { readonly kind: 'remove' | 'truncate' | 'symlink' | 'hardlink'; readonly path: string }
  | { readonly kind: 'move'; readonly path: string; readonly to: string }
  | { readonly kind: 'rules'; readonly path: string; readonly rules: string }
  | { readonly kind: 'exclude'; readonly rules: string };

export const changeArbitrary: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('write' as const, 'append' as const),
      path: pathArbitrary,
      bytes: bytesArbitrary,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('remove', 'truncate', 'symlink', 'hardlink'),
      path: pathArbitrary,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      path: pathArbitrary,
      to: pathArbitrary,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('rules' as const),
      path: fc.oneof(fc.constant('.'), pathArbitrary),
      rules: ruleArbitrary,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('exclude' as const), rules: ruleArbitrary }),
  },
);

/** Makes a change; one that the tree as it is does not allow is none. Further names of files go to `outside`. */
export function make(root: string, outside: string, change: Change): void {
  try {
    if (change.kind === 'exclude') return put(root, '.git/info/exclude', change.rules);
    const path = join(root, change.path);
    switch (change.kind) {
      case 'write':
        return put(root, change.path, change.bytes);
      case 'append':
        return appendFileSync(path, change.bytes);
      case 'remove':
        return rmSync(path, { recursive: true, force: true });
      case 'truncate':
        return truncateSync(path, 3);
      case 'symlink':
        return symlinkSync('a', path);
      case 'hardlink':
        linkSync(path, join(outside, `l${readdirSync(outside).length}`));
        return;
      case 'move':
        mkdirSync(dirname(join(root, change.to)), { recursive: true });
        return renameSync(path, join(root, change.to));
      case 'rules':
        return put(root, `${change.path}/.gitignore`, change.rules);
    }
  } catch (error) {
    const isRefused = error instanceof Error && 'code' in error;
    if (!isRefused) throw error;
  }
}
