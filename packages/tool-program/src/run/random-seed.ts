/** Four 32-bit integers from a source of numbers in [0, 1). */
export function createSeed(random: () => number): readonly number[] {
  // The last one is never 0: a seed of zeros alone gives zeros for ever.
  return [0, 1, 2, 3].map((index) => Math.floor(random() * 4_294_967_295) + (index === 3 ? 1 : 0));
}
