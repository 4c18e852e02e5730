import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { beforeAll, expect, test } from 'vitest';
import { createGuestImage, type GuestImage } from '../../src/vm/guest-image.mjs';
import { GuestVm } from '../../src/vm/guest-vm.mjs';
import { decodeGuestImage, encodeGuestImage } from '../../src/vm/image-file.mjs';
import { ScriptRun } from '../../src/vm/script-run.mjs';
import { createMailbox } from '../../src/vm/mailbox.mjs';
import { createSharedState } from '../../src/vm/shared-state.mjs';
import { program } from './vm-harness.ts';

let module: WebAssembly.Module;
let image: GuestImage;
beforeAll(async () => {
  module = await WebAssembly.compile(
    await readFile(createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm')),
  );
  image = await createGuestImage(module);
});

async function createVm(from: GuestImage): Promise<GuestVm> {
  const settings = {
    shared: createSharedState(1_024),
    mailbox: createMailbox(),
    memoryBytes: 8 * 1024 * 1024,
    isPatient: false,
    retireBytes: 8 * 1024 * 1024,
  };
  return GuestVm.create(settings, { module, image: from }, () => {});
}

/** What a script that calls nothing returns, as JSON. */
async function valueOf(vm: GuestVm, body: string): Promise<unknown> {
  const settings = {
    inputs: {},
    tools: [],
    seed: [1, 2, 3, 4],
    maxCalls: 0,
    maxOutputBytes: 1_024,
  };
  const run = new ScriptRun(
    vm,
    {
      source: program(body),
      language: 'javascript',
      fileName: 'program.js',
      settings: JSON.stringify(settings),
      maxResultBytes: 65_536,
      startMs: 1_700_000_000_000,
      steadyClock: false,
    },
    () => {},
  );
  return run.begin();
}

const busy =
  'const a = []; for (let i = 0; i < 5000; i++) a.push({ i, s: "s" + i }); return a.length;';

test('the same code gives the same image, byte for byte', async () => {
  expect(await createGuestImage(module)).toEqual(image);
});

test('an image survives its file; one for another engine is not taken', async () => {
  const file = encodeGuestImage(image, 'engine-a');
  expect(decodeGuestImage(file, 'engine-a')).toEqual(image);
  expect(decodeGuestImage(file, 'engine-b')).toBeUndefined();
});

test('an image is a fraction of the memory', () => {
  const bytes = image.parts.reduce((sum, part) => sum + part.bytes.length, 0);
  expect(bytes).toBeLessThan(image.memoryBytes / 4);
});

test('what the image leaves out is dead: a VM in whose memory anything else lies there works the same', async () => {
  const memory = new Uint8Array(image.memoryBytes).fill(0xa5);
  for (const { at, bytes } of image.parts) memory.set(bytes, at);
  const { stackPointer } = image;
  // The stack is what runs: everything above it is replaced, dead or not.
  const parts = [{ at: stackPointer, bytes: memory.subarray(stackPointer) }];
  const vm = await createVm({ ...image, parts });
  expect(await valueOf(vm, busy)).toEqual({ type: 'success', json: '5000' });
  expect(vm.reset()).toBe(true);
  expect(await valueOf(vm, busy)).toEqual({ type: 'success', json: '5000' });
});

test('what a script left in free memory is nothing that the next one sees', async () => {
  const vm = await createVm(image);
  const fill =
    'const a = []; for (let i = 0; i < 8; i++) a.push(new Uint8Array(65536).fill(0xa5)); return a.length';
  expect(await valueOf(vm, fill)).toEqual({ type: 'success', json: '8' });
  expect(vm.reset()).toBe(true);
  const look = `
    const grown = new ArrayBuffer(1, { maxByteLength: 65536 });
    grown.resize(65536);
    const all = [grown, new ArrayBuffer(8).transfer(65536), ...Array.from({ length: 8 }, () => new ArrayBuffer(65536))];
    return all.every((buffer) => new Uint8Array(buffer).every((byte) => byte === 0)) && new Array(9000).every((x) => false);`;
  expect(await valueOf(vm, look)).toEqual({ type: 'success', json: 'true' });
});

test('a VM that is wound back knows nothing of the last script, and its limit of memory holds again', async () => {
  const vm = await createVm(image);
  for (let i = 0; i < 3; i += 1) {
    expect(
      await valueOf(vm, 'const was = typeof kept; globalThis.kept = "x".repeat(1e5); return was;'),
    ).toEqual({ type: 'success', json: '"undefined"' });
    expect(vm.reset()).toBe(true);
  }
  expect(await valueOf(vm, 'const a = []; for (;;) a.push("x".repeat(1e5) + a.length);')).toEqual({
    type: 'out_of_memory',
  });
  // Its memory has grown.
  expect(vm.reset()).toBe(false);
});
