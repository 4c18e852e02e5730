/** @import { GuestImage } from './guest-image.mjs' */

/**
 * What the first line of an image file says, as JSON. The bytes of the parts follow it.
 * @typedef {Omit<GuestImage, 'parts'> & { engine: string, parts: { at: number, length: number }[] }} ImageHeader
 */

/**
 * An image as the bytes of a file.
 * @param {GuestImage} image
 * @param {string} engine SHA-256 of the engine's binary, which the image is good for.
 * @returns {Uint8Array}
 */
export function encodeGuestImage({ parts, ...places }, engine) {
  const header = {
    ...places,
    engine,
    parts: parts.map(({ at, bytes }) => ({ at, length: bytes.length })),
  };
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(header)}\n`),
    ...parts.map(({ bytes }) => bytes),
  ]);
}

/**
 * The image in the bytes of a file, in memory that threads share; undefined where it is for another engine.
 * @param {Uint8Array} file
 * @param {string} engine
 * @returns {GuestImage | undefined}
 */
export function decodeGuestImage(file, engine) {
  const start = file.indexOf(0x0a) + 1;
  // Written by the function above.
  const {
    engine: wanted,
    parts,
    ...places
  } = /** @type {ImageHeader} */ (JSON.parse(new TextDecoder().decode(file.subarray(0, start))));
  if (wanted !== engine) return undefined;
  const shared = new Uint8Array(new SharedArrayBuffer(file.length - start));
  shared.set(file.subarray(start));
  let next = 0;
  return {
    ...places,
    parts: parts.map(({ at, length }) => {
      next += length;
      return { at, bytes: shared.subarray(next - length, next) };
    }),
  };
}
