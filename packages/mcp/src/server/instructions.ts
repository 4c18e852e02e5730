import type { Session } from '@toolwright/core';

/** Bytes of instructions, at most: clients put them into every conversation. */
const maxInstructionBytes = 2_048;

/** What a client's model is told of the tools as a whole: the host's words first, then those of the families. */
export function instructionsFor(session: Session, own: string | undefined): string {
  const parts = [own ?? '', session.instructions()].filter((text) => text !== '');
  const bytes = Buffer.from(parts.join('\n\n'));
  if (bytes.length <= maxInstructionBytes) return bytes.toString('utf8');
  const cut = bytes.subarray(0, maxInstructionBytes - 4).toString('utf8');
  // At the end of a sentence or line, and never within a character.
  const end = Math.max(cut.lastIndexOf('. ') + 1, cut.lastIndexOf('\n'));
  const kept = end > maxInstructionBytes / 2 ? cut.slice(0, end) : cut.replace(/\ufffd+$/, '');
  return `${kept.trimEnd()} …`;
}
