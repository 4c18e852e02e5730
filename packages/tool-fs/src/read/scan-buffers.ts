import type { SessionResource } from '@toolwright/core';

/** Memory for scans, used again: fresh memory costs a page fault every 4 KiB. */
export interface ScanBuffers {
  /** Memory of `bytes` bytes with any content; to be given back when nothing reads or writes it any more. */
  take(): Uint8Array;
  give(buffer: Uint8Array): void;
}

/** Buffers that a session keeps while nobody uses them. */
const MAX_IDLE = 2;

/** The key of the session's buffers of one size. */
export function scanBuffers(bytes: number): SessionResource<ScanBuffers> {
  return {
    create: () => {
      const idle: Uint8Array[] = [];
      return {
        take: () => idle.pop() ?? Buffer.allocUnsafeSlow(bytes),
        give: (buffer) => {
          if (idle.length < MAX_IDLE) idle.push(buffer);
        },
      };
    },
  };
}
