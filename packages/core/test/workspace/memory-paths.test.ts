import { describe, expect, it } from 'vitest';
import { lexicalPath, memoryWorkspace, namesDirectory } from '../../src/index.ts';

describe('paths of a memory workspace', () => {
  it.each(['x\ud83d', '\ude00/a', 'a\0b', '   '])('%j is the name of no file', (path) => {
    expect(() => lexicalPath(path, '/root')).toThrow(
      expect.objectContaining({ type: 'invalid_argument', reason: 'bad_path' }),
    );
  });

  it('keeps whole surrogate pairs', () => {
    expect(lexicalPath('a/😀.txt', '/root')).toBe('a/😀.txt');
  });

  it('tells paths that can only mean a directory', () => {
    expect(['a/', 'a/.', '/'].map(namesDirectory)).toEqual([true, true, true]);
    expect(['a', 'a/..', '.', '', 'a/.b', 'a./b'].map(namesDirectory)).toEqual([
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it('makes and changes no file under a path that ends in a slash', async () => {
    const { files, writer } = memoryWorkspace({ files: { f: 'a\n' } });
    const bytes = new TextEncoder().encode('x');
    for (const [path, reason] of [
      ['new/', 'not_a_file'],
      ['f/', 'not_a_directory'],
      ['f/.', 'not_a_directory'],
    ] as const) {
      const transaction = await writer?.begin();
      const change = { kind: 'write', path, content: bytes, expected: { kind: 'any' } } as const;
      await expect(transaction?.stage(change)).rejects.toMatchObject({ reason });
      await transaction?.rollback();
    }
    await expect(files?.openRead('f/')).rejects.toMatchObject({ reason: 'not_a_directory' });
    expect(await files?.list('')).toEqual([{ name: 'f', kind: 'file' }]);
  });
});
