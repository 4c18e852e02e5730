/**
 * Appends one step to a JSON pointer (RFC 6901); `""` is the whole document.
 * Array positions are steps like keys.
 */
export function appendPointer(pointer: string, step: string | number): string {
  const text = String(step);
  const escaped = /[~/]/.test(text) ? text.replaceAll('~', '~0').replaceAll('/', '~1') : text;
  return `${pointer}/${escaped}`;
}

/** Writes the steps from the root as a JSON pointer (RFC 6901). */
export function toPointer(steps: readonly (string | number)[]): string {
  return steps.reduce<string>(appendPointer, '');
}

/**
 * Splits a JSON pointer into its unescaped steps.
 * `undefined` if the text is no pointer: neither empty nor starting with `/`, or with a stray `~`.
 */
export function fromPointer(pointer: string): readonly string[] | undefined {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
