import type { JsonObject } from '@toolwright/core';

/** Where a server stands. */
export type McpServerState =
  | 'connecting'
  | 'ready'
  | 'reconnecting'
  | 'needs_auth'
  | 'failed'
  | 'disabled'
  | 'closed';

/** Something that happened with a server, for the host's log and its people. */
export type McpEvent =
  | {
      readonly type: 'state';
      readonly server: string;
      readonly state: McpServerState;
      readonly reason: string | undefined;
    }
  | {
      readonly type: 'tools_changed';
      readonly server: string;
      readonly added: readonly string[];
      readonly removed: readonly string[];
      readonly changed: readonly string[];
    }
  | {
      /** A tool is no longer what it was when it was first seen: its server's word counts no more. */
      readonly type: 'tool_definition_changed';
      readonly server: string;
      readonly tool: string;
      /** Which of `name, title, description, inputSchema, outputSchema, annotations` differ. */
      readonly changed: readonly string[];
    }
  | {
      /** A log message of the server; at most 50 a second. */
      readonly type: 'log';
      readonly server: string;
      readonly level: string;
      readonly message: string;
    }
  | { readonly type: 'warning'; readonly server: string; readonly message: string };

/** A tool whose definition is no longer the one that was seen first or accepted. */
export interface McpDefinitionChange {
  readonly server: string;
  /** The name under which the session offers it. */
  readonly tool: string;
  /** The server's own name for it. */
  readonly original: string;
  /** Which of `name, title, description, inputSchema, outputSchema, annotations` differ. */
  readonly changed: readonly string[];
  /** The definition that is known; undefined where it was too large to be kept. */
  readonly before: JsonObject | undefined;
  readonly after: JsonObject;
}

/** What is known of a server now. */
export interface McpServerStatus {
  readonly server: string;
  readonly state: McpServerState;
  readonly reason: string | undefined;
  /** How it is spoken to, and by which revision of the protocol; undefined while it is not connected. */
  readonly transport: 'stdio' | 'http' | 'sse' | undefined;
  readonly era: 'legacy' | 'modern' | undefined;
  readonly protocolVersion: string | undefined;
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined;
  /** What the server says for the model about itself, at most 4,096 characters; a third party's words. */
  readonly instructions: string | undefined;
  readonly toolCount: number;
  /** Tools that cannot be offered, by the name that they would have, and why. */
  readonly dropped: readonly { readonly name: string; readonly reason: string }[];
  readonly warnings: readonly string[];
  /** The last 8 KiB of a program's stderr. */
  readonly stderrTail: string;
  /** Lines of a program's stdout that were no messages. */
  readonly noiseLines: number;
}
