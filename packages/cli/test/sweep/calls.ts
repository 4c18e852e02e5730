// Calls of every tool that bring the planted texts to light, or carry them in.
import type { JsonObject, JsonSchema } from '@toolwright/core';
import { corpus, secrets } from './secrets.ts';

/** One call. */
export interface PlannedCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

const [token = '', second = ''] = secrets;

/** What an argument of each type is when it carries a secret. */
function planted(schema: JsonSchema): JsonObject {
  const properties = schema['properties'];
  if (typeof properties !== 'object' || properties === null) return { [token]: token };
  return Object.fromEntries(
    Object.keys(properties).map((name, index) => [name, secrets[index % secrets.length] ?? token]),
  );
}

/** What any tool may be called with: secrets everywhere, and where no argument may be. */
export function hostileCalls(name: string, schema: JsonSchema): readonly PlannedCall[] {
  const all = planted(schema);
  return [
    { name, arguments: all },
    { name, arguments: { [token]: second } },
    ...Object.keys(all).map((key) => ({ name, arguments: { [key]: corpus } })),
  ];
}

const planting = `cat planted.txt; cat planted.txt >&2; echo done`;

/** What the tools are called with to do what they are for. */
export const usefulCalls: readonly PlannedCall[] = [
  { name: 'read', arguments: { file_path: 'planted.txt' } },
  { name: 'read', arguments: { file_path: 'large.txt', max_output_bytes: 98_304 } },
  { name: 'read', arguments: { files: [{ path: 'planted.txt' }, { path: `${token}.txt` }] } },
  { name: 'read', arguments: { file_path: `missing-${token}.txt` } },
  { name: 'ls', arguments: { path: '', depth: 3 } },
  { name: 'write', arguments: { file_path: 'written.txt', content: corpus } },
  { name: 'write', arguments: { file_path: `${second}.txt`, content: token, if_match: 'absent' } },
  {
    name: 'edit',
    arguments: { file_path: 'planted.txt', old_string: `value: ${token}  end`, new_string: second },
  },
  {
    name: 'edit',
    arguments: { file_path: 'written.txt', old_string: 'value', new_string: token, dry_run: true },
  },
  {
    name: 'edit',
    arguments: {
      file_path: 'written.txt',
      old_string: `value: ${token} end`,
      new_string: `value: ${second} end`,
    },
  },
  {
    name: 'patch',
    arguments: {
      diff: `--- a/planted.txt\n+++ b/planted.txt\n@@ -1 +1 @@\n-no ${token}\n+${second}\n`,
    },
  },
  {
    name: 'patch',
    arguments: { diff: `--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+${token}\n` },
  },
  { name: 'bash', arguments: { command: planting } },
  { name: 'bash', arguments: { command: `printf '%s\\n' '${token}'; exit 3` } },
  { name: 'bash', arguments: { command: 'cat large.txt large.txt' } },
  { name: 'bash', arguments: { command: planting, background: true } },
  { name: 'bash_job', arguments: { action: 'list' } },
  {
    name: 'bash',
    arguments: {
      command: `git init -q . && git -c user.name=x -c user.email=x@x add planted.txt && git -c user.name='${second}' -c user.email=x@x commit -q -m '${token}' && echo '${token}' >> planted.txt`,
    },
  },
  { name: 'git', arguments: { command: 'log' } },
  { name: 'git', arguments: { command: 'show' } },
  { name: 'git', arguments: { command: 'diff' } },
  { name: 'git', arguments: { command: 'status' } },
  { name: 'git', arguments: { command: 'show', ref: token } },
  ...['grep', 'glob', 'bm25'].flatMap((mode) => [
    { name: 'search', arguments: { mode, query: mode === 'glob' ? '*' : 'value' } },
    { name: 'search', arguments: { mode, query: token } },
    { name: 'search', arguments: { mode, query: `(${token}`, context: 2 } },
  ]),
  { name: 'tool_search', arguments: { query: token } },
  { name: 'tool_search', arguments: { query: `select:${token}` } },
  { name: 'call_tool', arguments: { name: 'read', arguments: { file_path: 'planted.txt' } } },
  { name: 'call_tool', arguments: { name: token, arguments: { [token]: second } } },
  { name: 'web_fetch', arguments: { url: 'http://page.example/planted' } },
  { name: 'web_fetch', arguments: { url: 'http://page.example/planted', format: 'html' } },
  { name: 'web_fetch', arguments: { url: `http://page.example/missing?token=${token}` } },
  { name: 'web_fetch', arguments: { url: `http://user:${second}@page.example/` } },
  { name: 'download', arguments: { url: 'http://page.example/planted', file_path: 'got.txt' } },
  { name: 'download', arguments: { url: `http://page.example/missing/${token}` } },
  {
    name: 'program',
    arguments: {
      type: 'script',
      source: `export default async (ctx, inputs) => {
        const file = await ctx.tool('read', { file_path: 'planted.txt' });
        console.log(file.output);
        return { file, given: inputs };
      };`,
      inputs: { token, [second]: corpus },
    },
  },
  {
    name: 'program',
    arguments: { type: 'script', source: `throw new Error(${JSON.stringify(corpus)})` },
  },
  { name: 'program', arguments: { type: 'script', source: `syntax error ${token}` } },
  {
    name: 'batch',
    arguments: {
      invocations: [
        { tool: 'read', args: { file_path: 'planted.txt' } },
        { tool: token, args: { [second]: token } },
        { tool: 'bash', args: { command: 'cat planted.txt' } },
      ],
    },
  },
  { name: token, arguments: { [second]: corpus } },
];
