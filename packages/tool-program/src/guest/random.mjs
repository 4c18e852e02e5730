const imul = Math.imul;

/**
 * A source of numbers in [0, 1) that the seed decides alone: xoshiro128**, of Blackman and Vigna, with 32 of its
 * bits a number. For scripts, not for secrets.
 * @param {readonly number[]} seed Four 32-bit integers, not all zero.
 * @returns {() => number}
 */
export function createRandom(seed) {
  let [a = 1, b = 0, c = 0, d = 0] = seed;
  return () => {
    const scrambled = imul(b, 5);
    const value = imul((scrambled << 7) | (scrambled >>> 25), 9);
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = (d << 11) | (d >>> 21);
    return (value >>> 0) / 4294967296;
  };
}
