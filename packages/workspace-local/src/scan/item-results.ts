import { compareUtf8 } from '../walk/compare-utf8.ts';
import type { ItemResult, ScanItem } from './scan-job.ts';

/** What was found where nothing was. */
export const emptyResult: ItemResult = { files: [], notSearched: [], undecoded: [], large: [] };

/** Results of parts of one piece, as one in path order. */
export function joinResults(parts: readonly ItemResult[]): ItemResult {
  return {
    files: parts.flatMap(({ files }) => files).toSorted((a, b) => compareUtf8(a.path, b.path)),
    notSearched: parts.flatMap(({ notSearched }) => notSearched),
    undecoded: parts.flatMap(({ undecoded }) => undecoded).toSorted(compareUtf8),
    large: parts.flatMap(({ large }) => large),
  };
}

/** Of a piece whose result never came. */
export function unfinished(item: ScanItem): ItemResult {
  const paths = item.kind === 'files' ? item.paths : [item.path];
  return { ...emptyResult, notSearched: paths.map((path) => ({ path, reason: 'deadline' })) };
}

/** A piece in parts of some files each. */
export function partsOf(item: ScanItem, filesPerPart: number): readonly ScanItem[] {
  if (item.kind === 'directory') return [item];
  const parts: ScanItem[] = [];
  for (let at = 0; at < item.paths.length; at += filesPerPart) {
    parts.push({ kind: 'files', paths: item.paths.slice(at, at + filesPerPart) });
  }
  return parts;
}
