/** A page to render. */
export interface RenderRequest {
  readonly url: string;
  /** Milliseconds until the page is taken as it is. */
  readonly timeoutMs: number;
  /** Bytes of rendered HTML. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
  /**
   * Asked before the page may reach a host, redirects and everything it loads included; throwing keeps that request
   * from being made. The kernel's view sets it so that each new host passes policy.
   */
  readonly onRequest?: (target: { readonly url: string; readonly method: string }) => Promise<void>;
}

/** A rendered page. */
export interface RenderedPage {
  /** The URL that was shown in the end. */
  readonly url: string;
  readonly html: string;
  readonly status: number;
}

/** A browser whose traffic passes the same guard as `HttpClient`. */
export interface BrowserClient {
  render(request: RenderRequest): Promise<RenderedPage>;
  close(): Promise<void>;
}
