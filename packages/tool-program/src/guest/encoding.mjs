/**
 * Runs inside the VM, before the script: everything it needs of the language is taken here, so that a script
 * that replaces built-ins harms only itself.
 */
const { parse, stringify } = JSON;
const { hasOwn } = Object;
const objectPrototype = Object.prototype;
const arrayPrototype = Array.prototype;
const StringOf = String;
const TypeErrorOf = TypeError;
const { apply } = Reflect;
const { includes, slice, split } = String.prototype;

/** What `encode` gives for a value that JSON has no image for. */
const nothing = 'null';

/**
 * The JSON text of a value, as `JSON.stringify` makes it; a function, a symbol and undefined alone are `null`.
 * Throws for cycles and big integers, and where the script has made `toJSON` alter every plain value.
 * @param {unknown} value
 * @returns {string}
 */
export function encode(value) {
  if (hasOwn(objectPrototype, 'toJSON') || hasOwn(arrayPrototype, 'toJSON')) {
    throw new TypeErrorOf(
      'A toJSON on Object.prototype or Array.prototype would change what is sent; remove it.',
    );
  }
  return stringify(value) ?? nothing;
}

/**
 * @param {string} json
 * @returns {unknown}
 */
export function decode(json) {
  return parse(json);
}

/**
 * A value as a person would write it in a log: strings as they are, errors with their stack, the rest as JSON
 * where it has one.
 * @param {unknown} value
 * @returns {string}
 */
export function display(value) {
  try {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return describeError(value).text;
    if (typeof value === 'object' && value !== null) return stringify(value) ?? StringOf(value);
    return StringOf(value);
  } catch {
    return '[unprintable]';
  }
}

/**
 * What was thrown, as strings: any value may have been, a hostile one included.
 * @param {unknown} thrown
 * @returns {{ name: string, message: string, stack: string, text: string }}
 */
export function describeError(thrown) {
  let name = '';
  let message = '';
  let stack = '';
  try {
    if (typeof thrown === 'object' && thrown !== null) {
      const error = /** @type {{ name?: unknown, message?: unknown, stack?: unknown }} */ (thrown);
      name = StringOf(error.name ?? 'Error');
      message = StringOf(error.message ?? display(thrown));
      stack = typeof error.stack === 'string' ? withoutOurFrames(error.stack) : '';
    } else {
      message = StringOf(thrown);
    }
  } catch {
    message ||= 'A value was thrown that cannot be shown.';
  }
  const head = name === '' ? message : `${name}: ${message}`;
  return { name, message, stack, text: stack === '' ? head : `${head}\n${stack}` };
}

/**
 * @param {string} stack
 * @returns {string}
 */
function withoutOurFrames(stack) {
  const frames = apply(split, stack, ['\n']);
  let kept = '';
  for (let i = 0; i < frames.length; i += 1) {
    const frame = frames[i];
    if (frame === '' || apply(includes, frame, ['(toolwright:'])) continue;
    kept += kept === '' ? frame : `\n${frame}`;
  }
  return kept;
}

/**
 * At most so many UTF-16 units from the start of a text.
 * @param {string} text
 * @param {number} maxUnits
 * @returns {string}
 */
export function headOf(text, maxUnits) {
  return apply(slice, text, [0, maxUnits]);
}
