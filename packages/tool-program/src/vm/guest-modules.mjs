import { readFileSync } from 'node:fs';

/** What the names of our modules begin with in stacks; no file of a workspace is called so. */
const prefix = 'toolwright:';

/** The module that exports `createProgram`. */
export const guestEntry = `${prefix}program.mjs`;

/**
 * The text of a module of ours that runs inside the VM.
 * @param {string} name
 */
export function readGuestModule(name) {
  return readFileSync(new URL(`../guest/${name.replace(prefix, '')}`, import.meta.url), 'utf8');
}

/**
 * The name of the module that one of ours imports as `./file`.
 * @param {string} specifier
 */
export function toGuestModule(specifier) {
  return `${prefix}${specifier.replace('./', '')}`;
}
