import { ToolError } from '@toolwright/core';

/** Passes a body through up to `maxBytes`; the byte after that ends it. Errors: `limit_exceeded`/`body_too_large`. */
export async function* capBody(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let total = 0;
  for await (const chunk of body) {
    total += chunk.length;
    if (total > maxBytes) {
      throw bodyTooLarge(maxBytes);
    }
    yield chunk;
  }
}

/** The refusal of a body that is, or says it is, larger than allowed. */
export function bodyTooLarge(maxBytes: number): ToolError {
  return new ToolError(
    'limit_exceeded',
    `The response is larger than the ${String(maxBytes)} bytes allowed.`,
    {
      reason: 'body_too_large',
      fields: { max_bytes: maxBytes },
    },
  );
}
