export { judgeAddress } from './address/judge-address.ts';
export type { AddressJudgement } from './address/judge-address.ts';
export type { Address } from './address/parse-address.ts';
export { createHttpClient } from './client/create-http-client.ts';
export type { HttpClientOptions } from './client/http-client-options.ts';
export type { Connector } from './connect/open-socket.ts';
export type { EndpointOptions } from './options/endpoint-rules.ts';
export type { Endpoint } from './options/parse-endpoint.ts';
export type { Resolver } from './resolve/resolver.ts';
