/**
 * A script that is no valid TypeScript, or uses what cannot be erased.
 * @typedef {object} StripFailure
 * @property {string} message
 * @property {number | null} line 1-based.
 * @property {number | null} column 1-based.
 */

/**
 * Replaces types by blanks, so that every line and column stays where it was. The stripper is loaded on first use.
 *
 * `poisoned` says that it ran out of stack: its memory cannot be trusted any more, and the worker must go.
 * @param {string} source
 * @returns {Promise<{ code: string } | { failure: StripFailure, poisoned: boolean }>}
 */
export async function stripTypes(source) {
  const { default: stripper } = await import('@swc/wasm-typescript');
  try {
    return { code: stripper.transformSync(source, { mode: 'strip-only' }).code };
  } catch (error) {
    if (error instanceof Error) {
      return {
        failure: {
          message: `The script nests too deeply: ${error.message}`,
          line: null,
          column: null,
        },
        poisoned: true,
      };
    }
    // It throws plain objects with the place.
    const { message, startLine, startColumn } =
      /** @type {{ message?: string, startLine?: number, startColumn?: number }} */ (error);
    return {
      failure: {
        message: message ?? 'The script is no valid TypeScript.',
        line: startLine ?? null,
        column: startColumn === undefined ? null : startColumn + 1,
      },
      poisoned: false,
    };
  }
}
