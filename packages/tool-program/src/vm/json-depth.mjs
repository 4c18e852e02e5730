/** Levels of arrays and objects that go over the bridge; deeper values would exhaust the stack of whoever walks them. */
export const maxJsonDepth = 256;

/**
 * Whether JSON text nests deeper than {@link maxJsonDepth}.
 * @param {string} json
 * @returns {boolean}
 */
export function isTooDeep(json) {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < json.length; i += 1) {
    const unit = json.charCodeAt(i);
    if (inString) {
      if (unit === 0x5c) i += 1;
      else if (unit === 0x22) inString = false;
    } else if (unit === 0x22) {
      inString = true;
    } else if (unit === 0x5b || unit === 0x7b) {
      depth += 1;
      if (depth > maxJsonDepth) return true;
    } else if (unit === 0x5d || unit === 0x7d) {
      depth -= 1;
    }
  }
  return false;
}
