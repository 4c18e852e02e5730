/** Milliseconds for which the answer to a refresh stands for latecomers with the token that it was given for. */
const KEPT_MS = 60_000;
/** Milliseconds for which it stands for those who bring the token that it gave: they were late for the old one. */
const FRESH_MS = 5_000;

interface Answer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/**
 * One refresh at a time, whoever finds a token expired: requests that come at once, with a token that was just exchanged
 * or with the one that it was just exchanged for, share the answer. Authorization servers that rotate tokens take a
 * second use for theft and end the grant, and a refresh too many makes the tokens of the others invalid.
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
    const keyOf = (held: string): string =>
      JSON.stringify([url.href, params.get('client_id'), held]);
    const key = keyOf(token);
    let answer = this.#answers.get(key);
    if (answer === undefined) {
      answer = this.#ask(key, keyOf, fetched);
      this.#answers.set(key, answer);
    }
    const { status, headers, body: text } = await answer;
    return new Response(text, { status, headers: headers.map(([name, value]) => [name, value]) });
  }

  async #ask(
    key: string,
    keyOf: (token: string) => string,
    fetched: () => Promise<Response>,
  ): Promise<Answer> {
    try {
      const response = await fetched();
      const answer = {
        status: response.status,
        headers: [...response.headers.entries()],
        body: await response.text(),
      };
      if (!response.ok) {
        this.#answers.delete(key);
        return answer;
      }
      this.#forgetAfter(key, KEPT_MS);
      const issued = refreshTokenOf(answer.body);
      if (issued !== undefined && keyOf(issued) !== key) {
        this.#answers.set(keyOf(issued), Promise.resolve(answer));
        this.#forgetAfter(keyOf(issued), FRESH_MS);
      }
      return answer;
    } catch (error) {
      this.#answers.delete(key);
      throw error;
    }
  }

  #forgetAfter(key: string, keptMs: number): void {
    const timer = setTimeout(() => this.#answers.delete(key), keptMs);
    timer.unref();
  }
}

function refreshTokenOf(body: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== 'object' || value === null || !('refresh_token' in value))
      return undefined;
    return typeof value.refresh_token === 'string' ? value.refresh_token : undefined;
  } catch {
    // The SDK will tell what is wrong with it.
    return undefined;
  }
}
