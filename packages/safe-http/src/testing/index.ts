export {
  endlessBody,
  neverAnswers,
  redirectTo,
  responseHead,
  sendPlain,
  serveRoutes,
} from './behaviours.ts';
export type { PlainResponse } from './behaviours.ts';
export { startHostileServer } from './hostile-server.ts';
export type {
  HostileBehaviour,
  HostileExchange,
  HostileServer,
  HostileServerOptions,
  RecordedRequest,
} from './hostile-server.ts';
export { TEST_CERTIFICATE } from './test-certificate.ts';
export { serveFile } from './serve-file.ts';
export type { FileFault, ServedFile } from './serve-file.ts';
