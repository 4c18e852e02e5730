import type { CatalogEntry, ToolCatalog } from '@toolwright/core';
import { expect, test } from 'vitest';
import { OfferedTools } from '../../src/run/offered-tools.ts';

function entry(name: string, state: CatalogEntry['state'], loaded = false): CatalogEntry {
  return {
    name,
    description: `Does ${name}.`,
    parameters: { type: 'object' },
    provider: 'small-tools',
    keywords: [],
    needs: [],
    capabilities: {
      readOnly: true,
      idempotent: true,
      resumable: false,
      cancellationSafe: true,
      paginated: false,
      maxParallelism: 1,
      outputKind: 'text',
    },
    state,
    loaded,
    untrusted: false,
  };
}

test('the names are those of the catalogue as it is now, asked for once a version', () => {
  let version = 1;
  let asked = 0;
  let entries = [entry('a', 'visible'), entry('b', 'deferred'), entry('c', 'hidden')];
  const catalog: ToolCatalog = {
    get version() {
      return version;
    },
    entries: () => {
      asked += 1;
      return entries;
    },
    load: () => ({ changed: [], already: [], unknown: [], overCap: [] }),
    unload: () => ({ changed: [], already: [], unknown: [], overCap: [] }),
    subscribe: () => () => {},
  };
  const offered = new OfferedTools();
  expect(offered.callable(catalog)).toEqual(['a']);
  expect(offered.has(catalog, 'c')).toBe(true);
  expect(offered.has(catalog, 'd')).toBe(false);
  expect(asked).toBe(1);
  entries = [entry('b', 'deferred', true), entry('d', 'visible')];
  version = 2;
  expect(offered.callable(catalog)).toEqual(['b', 'd']);
  expect(offered.has(catalog, 'd')).toBe(true);
  expect(offered.has(catalog, 'a')).toBe(false);
  expect(asked).toBe(2);
});
