import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const cache = new URL('../../node_modules/.cache/stripped/', import.meta.url);

/**
 * Lets a process run our sources: Node 20 knows no types. What was stripped once is kept, because a test that starts
 * many processes would spend its time on nothing else.
 * @param {string} url
 * @param {object} context
 * @param {(url: string, context: object) => Promise<object>} next
 */
export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const source = readFileSync(fileURLToPath(url), 'utf8');
  const kept = new URL(`${createHash('sha256').update(source).digest('hex')}.mjs`, cache);
  return {
    format: 'module',
    source: read(kept) ?? (await strip(source, kept)),
    shortCircuit: true,
  };
}

/** @param {URL} kept */
function read(kept) {
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * @param {string} source
 * @param {URL} kept
 */
async function strip(source, kept) {
  const { default: stripper } = await import('@swc/wasm-typescript');
  const { code } = stripper.transformSync(source, { mode: 'strip-only' });
  mkdirSync(cache, { recursive: true });
  // Another process may read or write the same file now.
  const temporary = new URL(`${kept.href}.${process.pid}`);
  writeFileSync(temporary, code);
  renameSync(temporary, kept);
  return code;
}
