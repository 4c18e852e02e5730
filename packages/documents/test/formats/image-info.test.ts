import { expect, test } from 'vitest';
import { readImageInfo } from '../../src/index.ts';

const png = (width: number, height: number): Buffer => {
  const bytes = Buffer.alloc(33);
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(bytes);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
};

const gif = (width: number, height: number): Buffer => {
  const bytes = Buffer.from('GIF89a0000', 'latin1');
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
};

const jpeg = (width: number, height: number): Buffer => {
  const bytes = Buffer.from('ffd8ffe000044a46ffc0001108000000000301220002110103110100', 'hex');
  bytes.writeUInt16BE(height, 13);
  bytes.writeUInt16BE(width, 15);
  return bytes;
};

const webp = (width: number, height: number): Buffer => {
  const bytes = Buffer.concat([
    Buffer.from('RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0', 'latin1'),
    Buffer.alloc(6),
  ]);
  bytes.writeUIntLE(width - 1, 24, 3);
  bytes.writeUIntLE(height - 1, 27, 3);
  return bytes;
};

test.each([
  ['image/png', png(640, 480)],
  ['image/gif', gif(12, 7)],
  ['image/jpeg', jpeg(300, 200)],
  ['image/webp', webp(1000, 2)],
] as const)('%s', async (mediaType, bytes) => {
  const info = await readImageInfo(bytes);
  expect(info).toMatchObject({ mediaType });
  expect([info?.width, info?.height]).toEqual(
    {
      'image/png': [640, 480],
      'image/gif': [12, 7],
      'image/jpeg': [300, 200],
      'image/webp': [1000, 2],
    }[mediaType],
  );
});

test.each([
  ['a PNG without a header', png(1, 1).subarray(0, 12)],
  ['a PNG of no size', png(0, 5)],
  ['a JPEG that ends early', jpeg(3, 3).subarray(0, 8)],
  ['a GIF that ends early', gif(1, 1).subarray(0, 7)],
])('%s is malformed', async (_name, bytes) => {
  await expect(readImageInfo(bytes)).rejects.toMatchObject({ code: 'malformed' });
});

test('text is no image', async () => {
  expect(await readImageInfo(Buffer.from('<svg/>'))).toBeUndefined();
});
