import { describe, expect, test } from 'vitest';
import { IgnoreFile } from '../../src/ignore/ignore-file.ts';

const judge = (file: IgnoreFile, path: string, isDirectory = false) => {
  const slash = path.lastIndexOf('/');
  const directory = slash < 0 ? '/r' : `/r/${path.slice(0, slash)}`;
  return file.judge({ name: path.slice(slash + 1), directory, isDirectory }, '/r/'.length);
};

describe('one ignore file', () => {
  test('GREP-014: an invalid line voids itself alone', () => {
    const file = new IgnoreFile('[z-a\n*.log\n');
    expect(judge(file, 'a.log')).toBe('ignored');
    expect(judge(file, 'b.txt')).toBe('none');
  });

  test.each(['\n', '\r\n'])(
    'GREP-016: trailing blanks, escapes and comments with %j ends',
    (eol) => {
      const file = new IgnoreFile(['a.txt  ', '\\#b', 'c\\ ', '#d', ''].join(eol));
      expect(['a.txt', '#b', 'c ', 'd'].map((name) => judge(file, name))).toEqual([
        'ignored',
        'ignored',
        'ignored',
        'none',
      ]);
    },
  );

  test('the last rule that matches decides, whichever kind it is', () => {
    const file = new IgnoreFile('*.log\n!keep.log\nkeep.log/\n/sub/*.log\n!/sub/x.log\n');
    expect(judge(file, 'a.log')).toBe('ignored');
    expect(judge(file, 'keep.log')).toBe('kept');
    expect(judge(file, 'keep.log', true)).toBe('ignored');
    expect(judge(file, 'sub/y.log')).toBe('ignored');
    expect(judge(file, 'sub/x.log')).toBe('kept');
  });

  test('case is folded only when asked', () => {
    const text = 'Build\n*.LOG\n/Src/[a-c]?\n';
    expect(judge(new IgnoreFile(text), 'build')).toBe('none');
    const folded = new IgnoreFile(text, { foldCase: true });
    expect(['bUILD', 'x.log', 'src/B1'].map((path) => judge(folded, path))).toEqual([
      'ignored',
      'ignored',
      'ignored',
    ]);
  });

  test('a pattern of many stars takes no exponential time', () => {
    const file = new IgnoreFile(`${'*a'.repeat(60)}*b\n/${'**/*a*/'.repeat(20)}b\n`);
    expect(judge(file, 'a'.repeat(250))).toBe('none');
    expect(judge(file, `${'a/'.repeat(1000)}c`)).toBe('none');
  });
});
