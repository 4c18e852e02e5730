/** A request through the guarded transport. */
export interface HttpRequest {
  /** Absolute http or https URL without userinfo. */
  readonly url: string;
  /** Upper case. Default `GET`. */
  readonly method?: string;
  /** Only allow-listed headers follow a redirect to another origin. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Redirects to follow, 0–10. Default 10. */
  readonly maxRedirects?: number;
  /** Refuse a redirect that leaves the origin of `url` (range requests of one file). Default false. */
  readonly sameOrigin?: boolean;
  /** Bytes of body, after decoding. Over it: `limit_exceeded`. Default 64 MiB. */
  readonly maxBodyBytes?: number;
  /** Undo `Content-Encoding`. Default true; false also asks for identity. */
  readonly decompress?: boolean;
  /** Milliseconds for the whole exchange, body included. Default 30,000. */
  readonly timeoutMs?: number;
  /**
   * The body is large and `decompress` is false: its chunks may share memory, so that each is valid only until the
   * next one is asked for. Default false.
   */
  readonly bulk?: boolean;
  readonly signal?: AbortSignal;
  /**
   * Asked before each redirect is followed, with the new target; throwing refuses it. The kernel's view
   * sets it so that redirects pass policy; callers may add their own checks.
   */
  readonly onRedirect?: (target: HttpRedirect) => Promise<void>;
  /**
   * Asked before a request is sent that looks as if it carried data out: a secret, or content of earlier results in
   * disguise. Throwing refuses it; without it such a request is refused (`permission_denied`/`egress`). The
   * kernel's view sets it so that policy asks, every time.
   */
  readonly onEgress?: (finding: HttpEgressFinding) => Promise<void>;
}

/** What looks like data on its way out; never the data itself. */
export interface HttpEgressFinding {
  readonly kind: 'secret' | 'earlier_result';
  readonly where: 'url' | 'body';
  /** The host that would get it, as `host:port`. */
  readonly target: string;
  /** One sentence for the person who is asked. */
  readonly message: string;
}

/** A hop that a server asks for. */
export interface HttpRedirect {
  readonly url: string;
  readonly status: number;
  readonly method: string;
}

/** A response whose head has arrived. The body must be read or cancelled. */
export interface HttpResponse {
  readonly status: number;
  /** Lower-case names; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The URL that answered, without credentials and fragment. */
  readonly url: string;
  /** The URLs passed on the way, the first one first, sanitised. */
  readonly redirects: readonly string[];
  /** The body in chunks; errors as ToolErrors. One consumer. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Drops the body and its connection; idempotent. */
  cancel(): Promise<void>;
}

/**
 * The one way to the network. It resolves names itself, admits only public addresses unless the host said
 * otherwise, connects to the address it checked, and judges every hop again. Errors: `invalid_argument`
 * (`bad_url`, `userinfo`), `permission_denied` (`address_refused`), `transport`, `timeout`, `cancelled`,
 * `limit_exceeded`.
 */
export interface HttpClient {
  request(request: HttpRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}
