// The public surface of the family: every name here is API.
export { program, type ProgramCall, type ProgramHelpers, type ProgramOptions } from './provider.ts';
export { toTypeSignatures, type TypeSignatureOptions } from './signatures/to-type-signatures.ts';
