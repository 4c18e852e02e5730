import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPathList, entriesAt, pathAt, placesBelow } from '../../src/gram-index/path-list.ts';
import { compareUtf8 } from '../../src/walk/compare-utf8.ts';

const name = fc.constantFrom('a', 'a.b', 'a0', 'a\n', 'b', 'é', '\ufffd', '\u{1f600}');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const kind = fc.constantFrom('file' as const, 'symlink' as const, 'fifo' as const);

test('what lies below a directory stands together, whatever the names are', () => {
  fc.assert(
    fc.property(fc.uniqueArray(path), path, kind, (paths, directory, kindOfFirst) => {
      const sorted = paths.toSorted(compareUtf8);
      const entries = sorted.map((each, row) => ({
        path: each,
        kind: row === 0 ? kindOfFirst : ('file' as const),
      }));
      const list = createPathList(entries);
      expect(entriesAt(list, Uint32Array.from(sorted.keys()))).toEqual(entries);
      const [from, to] = placesBelow(list, directory);
      const below = Array.from({ length: to - from }, (_, at) => pathAt(list, from + at));
      expect(below).toEqual(sorted.filter((each) => each.startsWith(`${directory}/`)));
      expect(placesBelow(list, '')).toEqual([0, sorted.length]);
    }),
    { numRuns: 500 },
  );
});
