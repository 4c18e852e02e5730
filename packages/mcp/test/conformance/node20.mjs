import { register } from 'node:module';

// The suite imports `globSync` of `node:fs`, which Node 20 lacks, for a command that is not used here.
register('./node20-hooks.mjs', import.meta.url);
