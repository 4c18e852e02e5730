import { readFileSync } from 'node:fs';

/** What the names of our modules begin with in stacks; no file of a workspace is called so. */
const prefix = 'toolwright:';

/** The module that exports `createProgram`. */
export const guestEntry = `${prefix}program.mjs`;

const files = [
  'program.mjs',
  'calls.mjs',
  'console.mjs',
  'context.mjs',
  'encoding.mjs',
  'random.mjs',
];

/** The modules of ours that run inside the VM, by name. */
export const guestModules = new Map(
  files.map((file) => [
    `${prefix}${file}`,
    readFileSync(new URL(`../guest/${file}`, import.meta.url), 'utf8'),
  ]),
);

/**
 * The name of the module that one of ours imports as `./file`.
 * @param {string} specifier
 */
export function toGuestModule(specifier) {
  return `${prefix}${specifier.replace('./', '')}`;
}
