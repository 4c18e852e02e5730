import { parseHtml } from './parse-html.ts';

/** Longest delay, in seconds, that still means "the page is elsewhere" and not "this page reloads itself". */
const MAX_DELAY_S = 5;

/**
 * The target of a client-side redirect: `<meta http-equiv="refresh">` with a short delay and a URL other than the page's own, also inside
 * `noscript`. `undefined` when the page is to be read as it is. The target is not judged here.
 */
export function metaRefreshTarget(source: string, pageUrl: string): string | undefined {
  if (!/http-equiv\s*=\s*["']?\s*refresh/iu.test(source)) {
    return undefined;
  }
  const { document } = parseHtml(source);
  for (const meta of document.querySelectorAll('meta[http-equiv]')) {
    const isRefresh = meta.getAttribute('http-equiv')?.trim().toLowerCase() === 'refresh';
    const target = isRefresh ? readRefresh(meta.getAttribute('content') ?? '', pageUrl) : undefined;
    if (target !== undefined) {
      return target;
    }
  }
  return undefined;
}

/** Reads `1;URL='/real'` (HTML standard, "shared declarative refresh steps"). */
function readRefresh(content: string, pageUrl: string): string | undefined {
  const match =
    /^\s*(?<delay>\d+)(?:\.\d*)?\s*(?:[;,]\s*|\s)(?:url\s*=\s*)?(?<rest>[^\s=].*)$/isu.exec(
      content,
    );
  const rest = match?.groups?.['rest'];
  if (
    rest === undefined ||
    /^url\s*=\s*$/iu.test(rest) ||
    Number(match?.groups?.['delay']) > MAX_DELAY_S
  ) {
    return undefined;
  }
  const quote = rest.charAt(0);
  const isQuoted = quote === '"' || quote === "'";
  const closing = isQuoted ? rest.indexOf(quote, 1) : -1;
  const address = (isQuoted ? rest.slice(1, closing === -1 ? undefined : closing) : rest).trim();
  if (!URL.canParse(address, pageUrl)) {
    return undefined;
  }
  const target = new URL(address, pageUrl);
  target.hash = '';
  return target.href === withoutHash(pageUrl) ? undefined : target.href;
}

function withoutHash(url: string): string {
  const parsed = new URL(url);
  parsed.hash = '';
  return parsed.href;
}
