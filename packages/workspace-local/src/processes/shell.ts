import { existsSync } from 'node:fs';

/** A shell of this machine. */
export interface Shell {
  readonly kind: 'bash' | 'sh' | 'powershell';
  readonly file: string;
  /** The argument array that runs a command line; nothing is ever quoted by hand. */
  args(line: string): readonly string[];
}

/** The shell that runs command lines: bash, else sh; on Windows PowerShell, never `cmd.exe`. */
export function findShell(platform: NodeJS.Platform, exists = existsSync): Shell {
  if (platform === 'win32') return { kind: 'powershell', file: 'powershell.exe', args: powerShell };
  for (const file of ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash']) {
    if (exists(file)) return { kind: 'bash', file, args: (line) => ['--norc', '-c', '--', line] };
  }
  return { kind: 'sh', file: '/bin/sh', args: (line) => ['-c', '--', line] };
}

/**
 * Arguments for Windows PowerShell and PowerShell 7. The line travels as base64 of UTF-16LE, so that no
 * character of it is ever seen by a command-line parser; output is set to UTF-8, progress bars are off,
 * and the exit code is that of the last native command, or 1 after a failed cmdlet.
 */
export function powerShell(line: string): readonly string[] {
  const script = [
    "$ProgressPreference = 'SilentlyContinue'",
    '[Console]::OutputEncoding = [Text.UTF8Encoding]::new($false)',
    '$OutputEncoding = [Console]::OutputEncoding',
    '$global:LASTEXITCODE = $null',
    `& {\n${line}\n}`,
    'if (-not $?) { if ($LASTEXITCODE) { exit $LASTEXITCODE } exit 1 }',
    'exit [int]$LASTEXITCODE',
  ].join('\n');
  const encoded = Buffer.from(script, 'utf16le').toString('base64');
  return ['-NoLogo', '-NoProfile', '-NonInteractive', '-EncodedCommand', encoded];
}
