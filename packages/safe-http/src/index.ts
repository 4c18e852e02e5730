export { judgeAddress } from './address/judge-address.ts';
export type { AddressJudgement } from './address/judge-address.ts';
export type { Address } from './address/parse-address.ts';
export { parseRetryAfter } from './headers/retry-after.ts';
