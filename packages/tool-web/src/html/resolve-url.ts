import type { PageDocument } from '../dom/page-document.ts';

/**
 * Resolves a link or image address of a page against its base. `undefined` for what leads nowhere outside the page: scripts, inline
 * data, and text that is no URL.
 */
export function resolveUrl(address: string | null | undefined, base: string): string | undefined {
  const text = address?.trim() ?? '';
  if (text === '' || !URL.canParse(text, base)) {
    return undefined;
  }
  const url = new URL(text, base);
  return /^(?:https?|mailto|tel|ftp):$/u.test(url.protocol) ? url.href : undefined;
}

/** The base of a page's relative addresses: its `<base>` element if it has a usable one, else its own URL. */
export function baseOf(document: PageDocument, pageUrl: string): string {
  const href = document.querySelector('base[href]')?.getAttribute('href');
  const base = resolveUrl(href, pageUrl);
  return base?.startsWith('http') === true ? base : pageUrl;
}

/** A URL as the target of a Markdown link; parentheses that do not pair would end it early. */
export function linkTarget(url: string): string {
  let open = 0;
  for (const character of url) {
    open += character === '(' ? 1 : character === ')' ? -1 : 0;
    if (open < 0) {
      break;
    }
  }
  const isSafe = open === 0 && !/[\s<>]/u.test(url);
  return isSafe ? url : `<${url.replaceAll(/[\s<>]/gu, encodeURIComponent)}>`;
}
