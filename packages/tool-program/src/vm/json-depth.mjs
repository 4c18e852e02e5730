/** Levels of arrays and objects that go over the bridge; deeper values would exhaust the stack of whoever walks them. */
export const maxJsonDepth = 256;

/**
 * Whether JSON text nests deeper than {@link maxJsonDepth}.
 * @param {string} json
 * @param {number} [extra] Levels around the values that count.
 * @returns {boolean}
 */
export function isTooDeep(json, extra = 0) {
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
      if (depth > maxJsonDepth + extra) return true;
    } else if (unit === 0x5d || unit === 0x7d) {
      depth -= 1;
    }
  }
  return false;
}

/**
 * Whether a parsed value nests deeper than {@link maxJsonDepth}; it is walked without recursion.
 * @param {unknown} value
 * @returns {boolean}
 */
export function isTooDeepValue(value) {
  /** @type {object[]} */
  let level = containersIn([value]);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxJsonDepth) return true;
    level = level.flatMap((container) => containersIn(Object.values(container)));
  }
  return false;
}

/**
 * @param {unknown[]} values
 * @returns {object[]}
 */
function containersIn(values) {
  return values.filter((value) => typeof value === 'object' && value !== null);
}
