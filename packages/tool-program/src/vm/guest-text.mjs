/** @import { JSValueHandle } from 'quickjs-wasi' */

/**
 * The text of a string of at most `maxUnits` UTF-16 units; undefined for anything else, which is never converted:
 * conversion would run the guest. Undefined as well when the guest has no memory left for a copy.
 * @param {JSValueHandle | undefined} handle
 * @param {number} maxUnits
 * @returns {string | undefined}
 */
export function readText(handle, maxUnits) {
  if (handle === undefined || !handle.isString) return undefined;
  const units = handle.length;
  if (units > maxUnits) return undefined;
  const text = handle.toString();
  // The engine answers a failed copy with a placeholder.
  return text.length === units ? text : undefined;
}
