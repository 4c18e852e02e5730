import { sha256Hex } from '@toolwright/core';

const MAX_NAME = 64;
const MAX_SERVER_PART = 24;
/** `_` and eight hex digits. */
const SUFFIX = 9;

const plainServer = /^[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*$/;
const plainTool = /^[A-Za-z0-9-][A-Za-z0-9_-]*$/;

/**
 * The name under which a session offers a server's tool: `mcp__<server>__<tool>`, at most 64 of `[A-Za-z0-9_-]`. It
 * depends on this one pair alone, so it survives restarts and changes of the list. A pair that cannot be written plainly
 * is cleaned, cut and marked with the first 8 hex digits of SHA-256 over `server NUL tool`. Calls never read a name
 * apart: they look it up.
 */
export function toExportName(server: string, tool: string): string {
  const plain = `mcp__${server}__${tool}`;
  if (plainServer.test(server) && plainTool.test(tool) && plain.length <= MAX_NAME) return plain;
  const head = `mcp__${serverPart(server)}__`;
  const room = MAX_NAME - head.length - SUFFIX;
  const part = trimmed(trimmed(tool.replaceAll(/[^A-Za-z0-9_-]+/g, '_')).slice(0, room)) || 'tool';
  return `${head}${part}_${hash8(`${server}\0${tool}`)}`;
}

/** The name under which a surface lists a server as a whole, such as one that failed: `mcp__<server>`. */
export function toServerEntryName(server: string): string {
  const plain = `mcp__${server}`;
  if (plainServer.test(server) && plain.length <= MAX_NAME) return plain;
  return `mcp__${serverPart(server)}_${hash8(server)}`;
}

function serverPart(server: string): string {
  const clean = trimmed(server.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replaceAll(/_+/g, '_'));
  return trimmed(clean.slice(0, MAX_SERVER_PART)) || 'server';
}

function trimmed(text: string): string {
  return text.replaceAll(/^_+|_+$/g, '');
}

function hash8(text: string): string {
  return sha256Hex(text).slice(0, 8);
}
