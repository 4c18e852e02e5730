export { createBrowserClient } from './create-browser-client.ts';
export type { BrowserClientOptions } from './create-browser-client.ts';
