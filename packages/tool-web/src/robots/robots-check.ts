import { ToolError } from '@toolwright/core';
import type { HttpClient } from '@toolwright/core';
import { MAX_ROBOTS_BYTES, parseRobots } from './robots-rules.ts';
import type { RobotsRules } from './robots-rules.ts';

/** Sites whose rules are remembered in a session. */
const MAX_SITES = 256;
const ALLOW_ALL: RobotsRules = { isAllowed: () => true };

/** Asks sites once what they want; one session's memory of it. */
export class RobotsCheck {
  readonly #rules = new Map<string, RobotsRules>();

  /** Errors: `permission_denied`/`robots` when the site's `robots.txt` does not want this URL fetched. */
  async assertAllowed(
    url: string,
    context: {
      readonly http: HttpClient;
      readonly signal: AbortSignal;
      readonly userAgent: string;
    },
  ): Promise<void> {
    const { origin, pathname, search } = new URL(url);
    const rules = this.#rules.get(origin) ?? (await fetchRules(origin, context));
    this.#rules.set(origin, rules);
    const [oldest] = this.#rules.keys();
    if (this.#rules.size > MAX_SITES && oldest !== undefined) {
      this.#rules.delete(oldest);
    }
    if (!rules.isAllowed(pathname + search)) {
      throw new ToolError(
        'permission_denied',
        `The robots.txt of ${origin} does not allow fetching this page.`,
        {
          reason: 'robots',
        },
      );
    }
  }
}

/** No file means no rules (RFC 9309, section 2.3.1); one that cannot be had now is taken likewise. */
async function fetchRules(
  origin: string,
  context: { readonly http: HttpClient; readonly signal: AbortSignal; readonly userAgent: string },
): Promise<RobotsRules> {
  try {
    const response = await context.http.request({
      url: `${origin}/robots.txt`,
      sameOrigin: true,
      maxBodyBytes: MAX_ROBOTS_BYTES,
      timeoutMs: 5000,
      signal: context.signal,
    });
    if (response.status !== 200) {
      await response.cancel();
      return ALLOW_ALL;
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) {
      chunks.push(chunk);
    }
    return parseRobots(Buffer.concat(chunks).toString('utf8'), context.userAgent);
  } catch (error) {
    if (
      ToolError.isInstance(error) &&
      (error.type === 'transport' || error.type === 'limit_exceeded' || error.type === 'timeout')
    ) {
      return ALLOW_ALL;
    }
    throw error;
  }
}
