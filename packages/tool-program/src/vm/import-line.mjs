/**
 * The 1-based line on which a script imports `specifier`: the statement or the call that names it, else the first
 * call with a computed name. Null where it cannot be told. The parser is loaded on first use.
 * @param {string} source
 * @param {string} specifier
 * @returns {Promise<number | null>}
 */
export async function findImportLine(source, specifier) {
  const { parse } = await import('es-module-lexer/js');
  try {
    const [imports] = parse(source);
    const found =
      imports.find((entry) => entry.type !== 'import-meta' && entry.specifier === specifier) ??
      imports.find(
        (entry) => entry.type === 'dynamic' && (entry.glob || entry.specifier === undefined),
      );
    return found === undefined ? null : source.slice(0, found.importStart).split('\n').length;
  } catch {
    return null;
  }
}
