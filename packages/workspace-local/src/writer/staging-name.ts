import { randomBytes } from 'node:crypto';

/** Names of files that a write has in progress: hidden, and with the process that made them. */
const pattern = /^\.tw-(\d+)-[0-9a-f]{16}\.(?:new|old)$/;

const keptPattern = /^\.tw-kept-[0-9a-f]{32}$/;

/** A fresh name for a staged file (`new`) or for what it replaces (`old`). */
export function stagingName(role: 'new' | 'old'): string {
  return `.tw-${process.pid}-${randomBytes(8).toString('hex')}.${role}`;
}

/** The name under which an interrupted file is kept for a later attempt. */
export function keptName(keyDigest: string): string {
  return `.tw-kept-${keyDigest.slice(0, 32)}`;
}

/** Whether a name is one of ours, so that listings leave it out. */
export function isStagingName(name: string): boolean {
  return name.startsWith('.tw-') && (pattern.test(name) || keptPattern.test(name));
}

/** The process that a staging name belongs to; undefined for any other name. */
export function stagingOwner(name: string): number | undefined {
  const digits = pattern.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Whether the process of a staging name still runs. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
