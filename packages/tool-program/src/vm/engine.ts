import { sha256Hex } from '@toolwright/core';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { GuestImage } from './guest-image.mjs';
import { decodeGuestImage, encodeGuestImage } from './image-file.mjs';
import { capMemory } from './memory-cap.ts';

/** What every VM is made from: shared by all threads. */
export interface Engine {
  readonly module: WebAssembly.Module;
  readonly image: GuestImage;
}

/** Loads the engine, with a ceiling on the bytes of memory that an instance can have. */
export async function loadEngine(maxMemoryBytes: number): Promise<Engine> {
  const binary = await readFile(
    createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm'),
  );
  const compiled = WebAssembly.compile(capMemory(binary, maxMemoryBytes));
  const engine = sha256Hex(binary);
  const image = (await readImage(engine)) ?? (await makeImage(await compiled, engine));
  if (image === undefined) throw new Error('The image of the VM cannot be read.');
  return { module: await compiled, image };
}

/** The image that was built with this package, if it is for this engine. */
async function readImage(engine: string): Promise<GuestImage | undefined> {
  const file = await readFile(new URL('./guest.image', import.meta.url)).catch(() => undefined);
  return file === undefined ? undefined : decodeGuestImage(file, engine);
}

/** The same image, made here: where the package runs from its sources, or beside another engine than it was built with. */
async function makeImage(
  module: WebAssembly.Module,
  engine: string,
): Promise<GuestImage | undefined> {
  const { createGuestImage } = await import('./guest-image.mjs');
  return decodeGuestImage(encodeGuestImage(await createGuestImage(module), engine), engine);
}
