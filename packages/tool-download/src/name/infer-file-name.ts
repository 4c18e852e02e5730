import { parseDispositionName } from './content-disposition.ts';
import { DEFAULT_NAME, sanitiseFileName } from './sanitise-file-name.ts';

/** Where a name can come from. */
export interface NameSources {
  readonly contentDisposition: string | undefined;
  /** The URLs to look at, the one that answered first. */
  readonly urls: readonly string[];
}

/**
 * Chooses the name of a downloaded file: the server's `Content-Disposition`, else the query parameter `filename` or `file`, else the
 * last segment of the path, else `download.bin`; sanitised, so that it is one name in the workspace's root.
 */
export function inferFileName(sources: NameSources): string {
  const disposition = parseDispositionName(sources.contentDisposition);
  if (disposition !== undefined) {
    return sanitiseFileName(disposition);
  }
  const urls = sources.urls.map((url) => new URL(url));
  const named =
    urls.map(nameInQuery).find((name) => name !== undefined) ??
    urls.map(nameInPath).find((name) => name !== undefined);
  return named === undefined ? DEFAULT_NAME : sanitiseFileName(named);
}

function nameInQuery(url: URL): string | undefined {
  for (const [key, value] of url.searchParams) {
    if ((key === 'filename' || key === 'file') && value.trim() !== '') {
      return value;
    }
  }
  return undefined;
}

function nameInPath(url: URL): string | undefined {
  const segment = url.pathname.split('/').findLast((part) => part !== '');
  if (segment === undefined) {
    return undefined;
  }
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
