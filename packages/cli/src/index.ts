// The public surface: every name here is API.
export { run, type Terminal } from './run.ts';
