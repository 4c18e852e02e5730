import { register } from 'node:module';

register('./strip-types-hooks.mjs', import.meta.url);
