import { DocumentError } from '../document-error.ts';
import { sniffMediaType } from '../binary/media-type.ts';

/** What an image file says of itself. */
export interface ImageInfo {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  /** Pixels, as stored (an EXIF orientation is not applied). */
  readonly width: number;
  readonly height: number;
}

/**
 * Type and size of a PNG, JPEG, GIF or WebP image, by content; `undefined` for anything else.
 *
 * @throws {DocumentError} `malformed` for an image without a readable size.
 */
export async function readImageInfo(bytes: Uint8Array): Promise<ImageInfo | undefined> {
  const type = sniffMediaType(bytes)?.type;
  const mediaType = IMAGE_TYPES.find((known) => known === type);
  if (mediaType === undefined) return undefined;
  const parser = await PARSERS[mediaType]();
  let size: { readonly width: number; readonly height: number };
  try {
    // A copy: image-size reads views past their end, into whatever memory follows (2.1.0).
    size = parser.calculate(new Uint8Array(bytes));
  } catch (cause) {
    throw new DocumentError('malformed', `The ${mediaType} header is damaged.`, { cause });
  }
  if (!(size.width > 0 && size.height > 0)) {
    throw new DocumentError('malformed', `The ${mediaType} header has no size.`);
  }
  return { mediaType, width: size.width, height: size.height };
}

const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

interface SizeParser {
  calculate(bytes: Uint8Array): { readonly width: number; readonly height: number };
}

/** Only the four parsers that are needed are loaded; those of other formats see no hostile bytes. */
const PARSERS: Readonly<Record<ImageInfo['mediaType'], () => Promise<SizeParser>>> = {
  'image/png': async () => (await import('image-size/types/png')).PNG,
  'image/jpeg': async () => (await import('image-size/types/jpg')).JPG,
  'image/gif': async () => (await import('image-size/types/gif')).GIF,
  'image/webp': async () => (await import('image-size/types/webp')).WEBP,
};
