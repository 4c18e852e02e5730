import { describe, expect, it } from 'vitest';
import { taskkillArgs } from '../../src/processes/direct-launcher.ts';
import { findShell } from '../../src/processes/shell.ts';

/** What PowerShell would decode. */
function decoded(args: readonly string[]): string {
  return Buffer.from(args.at(-1) ?? '', 'base64').toString('utf16le');
}

describe('findShell', () => {
  it('takes bash where it is, else sh', () => {
    const bash = findShell('linux', (path) => path === '/usr/bin/bash');
    expect([bash.kind, bash.file, bash.args('-e; echo')]).toEqual([
      'bash',
      '/usr/bin/bash',
      ['--norc', '-c', '--', '-e; echo'],
    ]);
    const sh = findShell('linux', () => false);
    expect([sh.kind, sh.file, sh.args('a')]).toEqual(['sh', '/bin/sh', ['-c', '--', 'a']]);
  });

  it('takes PowerShell on Windows, with the line in base64 so that nothing quotes it', () => {
    const shell = findShell('win32', () => true);
    expect([shell.kind, shell.file]).toEqual(['powershell', 'powershell.exe']);
    for (const line of ['echo "a b"', "echo 'ä' & del x", 'a\nb', '%PATH% ^| $(x) `" \\', '😀']) {
      const args = shell.args(line);
      expect(args.slice(0, -1)).toEqual([
        '-NoLogo',
        '-NoProfile',
        '-NonInteractive',
        '-EncodedCommand',
      ]);
      expect(args.at(-1)).toMatch(/^[A-Za-z0-9+/=]+$/);
      expect(decoded(args)).toContain(`& {\n${line}\n}`);
      expect(decoded(args)).toMatch(/exit \[int\]\$LASTEXITCODE$/);
    }
  });

  it('ends a tree on Windows by its root', () => {
    expect(taskkillArgs(42)).toEqual(['/pid', '42', '/T', '/F']);
  });
});
