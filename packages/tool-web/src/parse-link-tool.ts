import { defineTool, netEffect, parallelRead, ToolError } from '@toolwright/core';
import type { Tool } from '@toolwright/core';
import { loadPage } from './page/load-page.ts';
import { takeWindow } from './page/page-window.ts';
import { renderSnapshot } from './page/render-snapshot.ts';

/** Seconds for one link. */
const TIMEOUT_S = 30;
/** Bytes of content: more would not fit into structured results. */
const MAX_CONTENT_BYTES = 60_000;

/**
 * Makes `parse_link`, the page reader in the form that Chatbox hosts know: `{ url, maxLength }` in,
 * `{ url, title, content, originalLength, truncated }` out. Lengths count code points.
 */
export function createParseLinkTool(): Tool {
  return defineTool({
    name: 'parse_link',
    title: 'Read a link',
    description:
      'Reads the main content of a web page as text, with its title. Use it when a link was given and its content is needed; long pages are cut at maxLength.',
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['url'],
      properties: {
        url: { type: 'string', minLength: 1, description: 'The http or https URL to read.' },
        maxLength: {
          type: 'integer',
          minimum: 500,
          maximum: 50_000,
          default: 12_000,
          'x-clamp': true,
          description: 'Most characters of content, 500 to 50,000. Default 12,000.',
        },
      },
    },
    output: {
      type: 'object',
      additionalProperties: false,
      required: ['url', 'title', 'content', 'originalLength', 'truncated'],
      properties: {
        url: { type: 'string' },
        title: { type: 'string' },
        content: { type: 'string' },
        originalLength: { type: 'integer' },
        truncated: { type: 'boolean' },
      },
    },
    examples: [{ url: 'https://example.com/article' }],
    requires: ['http'],
    capabilities: parallelRead(8),
    timeoutMs: TIMEOUT_S * 1000,
    effects: (input) => [netEffect(input.url)],
    run: async (input, context) => {
      const page = await loadPage(input.url, {
        http: context.http,
        signal: context.signal,
        timeoutMs: TIMEOUT_S * 1000,
        accept: 'text/html, application/xhtml+xml, text/plain;q=0.9, */*;q=0.5',
        now: () => context.now(),
        admit: async (url) => context.admit(netEffect(url)),
        checkRobots: async () => {},
      });
      const { body } = page;
      if (body.kind === 'image') {
        throw new ToolError(
          'unsupported',
          `The link leads to an image (${body.mediaType}), which has no text.`,
          {
            reason: 'binary',
          },
        );
      }
      const { text, title } = renderSnapshot({ ...page, body }, { format: 'text', bodyOnly: true });
      const trimmed = text.trim();
      const part = takeWindow(trimmed, {
        offset: 0,
        maxChars: input.maxLength,
        maxBytes: Math.min(context.limits.maxOutputBytes, MAX_CONTENT_BYTES),
      });
      const structured = {
        url: input.url,
        title,
        content: part.text.trim(),
        originalLength: part.totalChars,
        truncated: part.nextOffset !== undefined,
      };
      return {
        output: structured.content,
        structured,
        metadata: { source_anchors: [...page.anchors] },
        trust: 'external',
      };
    },
  });
}
