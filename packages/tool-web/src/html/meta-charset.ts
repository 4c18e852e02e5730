/** Bytes at the start of a page in which its own declaration must stand (HTML standard, "prescan a byte stream"). */
const PRESCAN_BYTES = 1024;

/**
 * The encoding label that a page declares of itself: `<meta charset>`, `<meta http-equiv="Content-Type">` or an XML declaration, within
 * the first 1,024 bytes; comments do not count. `undefined` when there is none.
 */
export function metaCharset(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, PRESCAN_BYTES)).toString('latin1');
  const declaration = /^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/u.exec(head)?.[1];
  if (declaration !== undefined) {
    return declaration;
  }
  const visible = head.replaceAll(/<!--[^]*?(?:-->|$)/gu, '');
  for (const [, text = ''] of visible.matchAll(/<meta(?=[\s/])([^>]*)/giu)) {
    const attributes = readAttributes(text);
    const label = attributes.get('charset') ?? contentTypeCharset(attributes);
    if (label !== undefined) {
      return label;
    }
  }
  return undefined;
}

/** The `charset` parameter of a media type (`text/html; charset="GBK"`); `undefined` when there is none. */
export function charsetParameter(mediaType: string): string | undefined {
  return /;\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/iu
    .exec(mediaType)
    ?.slice(1)
    .find((group) => group !== undefined);
}

function contentTypeCharset(attributes: ReadonlyMap<string, string>): string | undefined {
  const isContentType = attributes.get('http-equiv')?.toLowerCase() === 'content-type';
  const content = attributes.get('content');
  return isContentType && content !== undefined ? charsetParameter(`;${content}`) : undefined;
}

/** Attributes by lower-case name; the first of equal names counts. */
function readAttributes(text: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  const pattern = /([^\s"'/=>]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gu;
  for (const [, name = '', ...values] of text.matchAll(pattern)) {
    const key = name.toLowerCase();
    const value = values.find((group) => group !== undefined) ?? '';
    attributes.set(key, attributes.get(key) ?? value);
  }
  return attributes;
}
