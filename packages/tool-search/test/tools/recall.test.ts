import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseToolQuery } from '../../src/tools/parse-query.ts';
import { rankTools } from '../../src/tools/rank-tools.ts';
import { ToolIndex, type RankableTool } from '../../src/tools/tool-index.ts';
import { einoRanking } from './eino-ranking.ts';

/**
 * Tools of 19 public MCP servers as they list themselves, and queries with their answers, which were written before
 * the ranker was tuned. Every other query is for tuning; the others judge.
 */
const read = (name: string) => readFileSync(new URL(`./recall/${name}`, import.meta.url), 'utf8');
const exported = (server: string, name: string) =>
  `mcp__${server}__${name.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`;

const tools = read('tools.jsonl')
  .trim()
  .split('\n')
  .map((line): RankableTool => {
    // Each line is [server, name, description, parameter names].
    const [server, name, description, parameters] = JSON.parse(line) as [
      string,
      string,
      string,
      string[],
    ];
    return {
      name: exported(server, name),
      description,
      parameters: { properties: Object.fromEntries(parameters.map((each) => [each, {}])) },
      provider: `mcp-${server}`,
      keywords: [],
    };
  });
const queries = read('queries.txt')
  .trim()
  .split('\n')
  .map((line) => {
    const [query = '', answers = ''] = line.split(' => ');
    return {
      query,
      answers: answers.split(' ').map((answer) => {
        const slash = answer.indexOf('/');
        return exported(answer.slice(0, slash), answer.slice(slash + 1));
      }),
    };
  });

const index = new ToolIndex(tools);
const ours = (query: string) => {
  const parsed = parseToolQuery(query);
  if (parsed.kind === 'select') throw new TypeError('no selection in this set');
  return rankTools(index, parsed.keywords, 5).tools.map(({ name }) => name);
};
const eino = (query: string) => einoRanking(tools, query, 5);

function hits(half: number, rank: (query: string) => readonly string[]) {
  const asked = queries.filter((_, i) => i % 2 === half);
  const share = (depth: number) =>
    asked.filter(({ query, answers }) =>
      rank(query)
        .slice(0, depth)
        .some((name) => answers.includes(name)),
    ).length / asked.length;
  return { at1: share(1), at5: share(5) };
}

describe('recall of tool_search', () => {
  test('the set is large enough, and every answer exists', () => {
    expect(tools.length).toBeGreaterThanOrEqual(300);
    expect(queries.length).toBeGreaterThanOrEqual(150);
    const names = new Set(tools.map(({ name }) => name));
    expect(queries.flatMap(({ answers }) => answers.filter((name) => !names.has(name)))).toEqual(
      [],
    );
  });

  test('the half that judges: hit@5 ≥ 0.95 and hit@1 ≥ 0.80, and better than by counting', () => {
    const found = hits(1, ours);
    const counted = hits(1, eino);
    expect(found.at5).toBeGreaterThanOrEqual(0.95);
    expect(found.at1).toBeGreaterThanOrEqual(0.8);
    expect(found.at5).toBeGreaterThan(counted.at5);
    expect(found.at1).toBeGreaterThan(counted.at1);
  });

  test('the half for tuning is not far from it', () => {
    const found = hits(0, ours);
    expect(found.at5).toBeGreaterThanOrEqual(0.9);
    expect(found.at1).toBeGreaterThanOrEqual(0.75);
  });
});
