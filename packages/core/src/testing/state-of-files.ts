import { sha256Hex } from '../digest/sha256.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** All files of a workspace and what is in them, as one text that is equal for equal files. */
export async function stateOfFiles({ walker, files }: Workspace): Promise<string> {
  if (walker === undefined || files === undefined) return '';
  const lines: string[] = [];
  for await (const batch of walker.walk({ ignore: false, directories: true })) {
    for (const { path, kind } of batch) {
      lines.push(`${kind} ${path} ${kind === 'file' ? await digestOf(path, files) : ''}`);
    }
  }
  return lines.join('\n');
}

async function digestOf(path: string, files: NonNullable<Workspace['files']>): Promise<string> {
  try {
    const reader = await files.openRead(path);
    try {
      return sha256Hex(await reader.read(0, reader.stat.size));
    } finally {
      await reader.close();
    }
  } catch {
    // Closed to tools, so no tool has changed it.
    return 'closed';
  }
}
