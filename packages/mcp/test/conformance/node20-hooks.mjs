/**
 * @param {string} url
 * @param {object} context
 * @param {(url: string, context: object) => Promise<{ source?: string | Uint8Array }>} next
 */
export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.includes('/@modelcontextprotocol/conformance/dist/')) return loaded;
  const source = Buffer.from(loaded.source ?? '').toString('utf8');
  const name = /\bglobSync as ([\w$]+)/.exec(source)?.[1];
  if (name === undefined) return loaded;
  return {
    ...loaded,
    source: `${source.replace(/\bglobSync as [\w$]+,?/, '')}\nfunction ${name}() { throw new Error('fs.globSync needs Node 22.'); }`,
  };
}
