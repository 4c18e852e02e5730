// The public surface: every name here is API.
export { __FACTORY__ } from './provider.ts';
