// Usage, after the code has been built: node scripts/write-guest-image.mjs
// Writes dist/vm/guest.image: the memory of a VM with our guest code loaded, so that no thread has to load it.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createGuestImage } from '../dist/vm/guest-image.mjs';
import { encodeGuestImage } from '../dist/vm/image-file.mjs';

const binary = readFileSync(createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm'));
const image = await createGuestImage(await WebAssembly.compile(binary));
const engine = createHash('sha256').update(binary).digest('hex');
writeFileSync(new URL('../dist/vm/guest.image', import.meta.url), encodeGuestImage(image, engine));
