/** Milliseconds for which the answer to a refresh stands for latecomers with the same token. */
const KEPT_MS = 60_000;
const MAX_KEPT = 32;

interface Answer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/**
 * One refresh for each refresh token: requests that come at once, or with a token that was just exchanged, share the
 * answer. Authorization servers that rotate tokens take a second use for theft and end the grant.
 */
export class RefreshOnce {
  readonly #answers = new Map<string, Promise<Answer>>();

  async share(
    url: URL,
    body: string | undefined,
    fetched: () => Promise<Response>,
  ): Promise<Response> {
    const params = new URLSearchParams(body ?? '');
    const token = params.get('refresh_token');
    if (params.get('grant_type') !== 'refresh_token' || token === null) return fetched();
    const key = JSON.stringify([url.href, params.get('client_id'), token]);
    let answer = this.#answers.get(key);
    if (answer === undefined) {
      answer = this.#keep(key, fetched);
      this.#answers.set(key, answer);
    }
    const { status, headers, body: text } = await answer;
    return new Response(text, { status, headers: headers.map(([name, value]) => [name, value]) });
  }

  async #keep(key: string, fetched: () => Promise<Response>): Promise<Answer> {
    try {
      const response = await fetched();
      const answer = {
        status: response.status,
        headers: [...response.headers.entries()],
        body: await response.text(),
      };
      if (response.ok) this.#forgetLater(key);
      else this.#answers.delete(key);
      return answer;
    } catch (error) {
      this.#answers.delete(key);
      throw error;
    }
  }

  #forgetLater(key: string): void {
    const timer = setTimeout(() => this.#answers.delete(key), KEPT_MS);
    timer.unref();
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= MAX_KEPT) break;
      this.#answers.delete(oldest);
    }
  }
}
