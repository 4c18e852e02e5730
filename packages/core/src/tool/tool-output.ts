import type { JsonObject, JsonValue } from '../json/json.ts';

/**
 * Where a result's text comes from: the workspace, outside of it (web, MCP, a remote), or the host
 * itself. An `external` result that reaches an agent taints the session.
 */
export type Trust = 'workspace_data' | 'external' | 'trusted';

/** A content block as in MCP: text, an image or audio in base64, a resource or a link to one. */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource';
      readonly resource: {
        readonly uri: string;
        readonly mimeType?: string;
        readonly text?: string;
        readonly blob?: string;
      };
    }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly description?: string;
      readonly mimeType?: string;
    };

/** What `run` returns; the kernel sanitises, bounds and projects all of it. Failures are thrown as `ToolError`. */
export interface ToolOutput {
  /** Text for the model; bytes and streams are taken as UTF-8 (invalid bytes become U+FFFD) and never held whole. */
  readonly output: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** The same answer as data, for hosts and scripts; bounded at 64 KiB of JSON. */
  readonly structured?: JsonValue;
  /** Images and other blocks for models that take them; bounded by bytes. */
  readonly content?: readonly ContentBlock[];
  /** Facts for callers; bounded at 64 KiB of JSON. */
  readonly metadata?: JsonObject;
  /** Default `workspace_data`. */
  readonly trust?: Trust;
  /** 1 for a completed call whose own outcome is negative (a command that exited non-zero). Default 0. */
  readonly exitCode?: 0 | 1;
}
