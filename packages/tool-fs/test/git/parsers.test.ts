import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBranchName, pathOfRevision } from '../../src/git/check-revision.ts';
import { parseStatus } from '../../src/git/parse-status.ts';
import { redactUrl } from '../../src/git/redact-url.ts';
import { WindowTaker } from '../../src/git/text-window.ts';

describe('branch names', () => {
  it('are judged as git does', () => {
    const parts = [
      'a',
      'b',
      '/',
      '.',
      '..',
      '-',
      '@',
      '@{',
      '~',
      '^',
      ':',
      '?',
      '*',
      '[',
      '\\',
      ' ',
      '.lock',
      'é',
      '\t',
    ];
    const names = fc.sample(fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 5 }), {
      numRuns: 60,
      seed: 1,
    });
    const judged = names.map((list) => {
      const name = list.join('');
      let valid = true;
      try {
        execFileSync('git', ['check-ref-format', '--branch', name], { stdio: 'pipe', cwd: '/' });
      } catch {
        valid = false;
      }
      return { name, valid };
    });
    expect(judged.map(({ name }) => ({ name, valid: isBranchName(name) }))).toEqual(judged);
  });
});

describe('the path of a revision', () => {
  it.each([
    ['main', null],
    ['HEAD~1', null],
    ['HEAD:src/a.ts', 'src/a.ts'],
    ['HEAD:./a', './a'],
    ['HEAD:a:b', 'a:b'],
    [':a', 'a'],
    [':2:a', 'a'],
    [':/fix: typo', null],
    ['main@{2020-01-01 10:00}', null],
    ['main^{/fix: typo}', null],
    ['main^{/fix: typo}:a', 'a'],
  ])('%s', (revision, path) => {
    expect(pathOfRevision(revision)).toBe(path);
  });
});

describe('status', () => {
  it('keeps names with blanks, line feeds and arrows', () => {
    const oid = 'a'.repeat(40);
    expect(
      parseStatus([
        `# branch.oid ${oid}`,
        '# branch.head a/b',
        '# branch.upstream origin/a/b',
        `1 .M N... 100644 100644 100644 ${oid} ${oid} a b\nc`,
        `2 R. N... 100644 100644 100644 ${oid} ${oid} R100 new -> name`,
        'old -> name',
        `u UU N... 100644 100644 100644 100644 ${oid} ${oid} ${oid} both sides`,
        '? ? odd',
      ]),
    ).toEqual({
      branch: 'a/b',
      commit: oid,
      upstream: 'origin/a/b',
      entries: [
        { path: 'a b\nc', index: '.', worktree: 'M' },
        { path: 'new -> name', original_path: 'old -> name', index: 'R', worktree: '.' },
        { path: 'both sides', index: 'U', worktree: 'U' },
        { path: '? odd', index: '?', worktree: '?' },
      ],
    });
  });
});

describe('URLs of remotes', () => {
  it.each([
    ['https://user:token@host/a/b?x=1#y', 'https://host/a/b'],
    ['https://tok@en@host:8443/a', 'https://host:8443/a'],
    ['ssh://git@host:22/a', 'ssh://host:22/a'],
    ['git@host:a/b.git', 'git@host:a/b.git'],
    ['/srv/a.git', '/srv/a.git'],
  ])('%s', (url, shown) => {
    expect(redactUrl(url)).toBe(shown);
  });
});

describe('windows', () => {
  it('put together give the whole text, each at most as long as asked', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        fc.integer({ min: 4, max: 60 }),
        fc.integer({ min: 1, max: 40 }),
        (raw, maxBytes, chunkSize) => {
          const bytes = Buffer.from(raw.toWellFormed());
          let text = '';
          let offset: number | null = 0;
          while (offset !== null) {
            const taker = new WindowTaker({ offset, maxBytes });
            for (let at = 0; at < bytes.length; at += chunkSize) {
              // The source reads into the same memory again; a Buffer's own slice shares it.
              const piece = Buffer.from(bytes.subarray(at, at + chunkSize));
              taker.push(piece);
              piece.fill(0);
            }
            const window = taker.finish();
            expect(Buffer.byteLength(window.text)).toBeLessThanOrEqual(maxBytes);
            expect(window.totalBytes).toBe(bytes.length);
            text += window.text;
            offset = window.nextOffset;
          }
          expect(text).toBe(raw.toWellFormed());
        },
      ),
    );
  });

  it('of bytes that are no text keep to their size as text, and tell every byte once', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.integer({ min: 12, max: 60 }),
        (bytes, maxBytes) => {
          let offset: number | null = 0;
          let taken = 0;
          while (offset !== null) {
            const taker = new WindowTaker({ offset, maxBytes });
            taker.push(bytes);
            const { text, range, nextOffset } = taker.finish();
            expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
            const returned = Number(range['returned_bytes']);
            expect(returned).toBeGreaterThan(bytes.length === 0 ? -1 : 0);
            taken += returned;
            offset = nextOffset;
          }
          expect(taken).toBe(bytes.length);
        },
      ),
    );
  });

  it('of bytes that are no text come to an end', () => {
    const bytes = Buffer.from([0x61, 0x80, 0x80, 0x80, 0x80, 0x80, 0xff, 0xe2, 0x82]);
    let offset: number | null = 0;
    let taken = 0;
    while (offset !== null) {
      const taker = new WindowTaker({ offset, maxBytes: 2 });
      taker.push(bytes);
      const window = taker.finish();
      taken += 1;
      expect(taken).toBeLessThan(20);
      offset = window.nextOffset;
    }
    expect(taken).toBeGreaterThan(3);
  });
});
