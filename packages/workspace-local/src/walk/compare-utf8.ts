/**
 * Orders strings by their UTF-8 bytes, which for code points beyond U+FFFF is not the order of JavaScript's
 * `<` (UTF-16 code units).
 */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above every other code unit. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
