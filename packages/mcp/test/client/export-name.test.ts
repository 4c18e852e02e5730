import { constantFrom, sample, string, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toExportName, toServerEntryName } from '../../src/client/export-name.ts';

const vectors: readonly (readonly [string, string, string])[] = [
  ['everything', 'echo', 'mcp__everything__echo'],
  ['My Server', 'read file', 'mcp__My_Server__read_file_711a6d7a'],
  ['天气', '查询', 'mcp__server__tool_1236009d'],
  ['a__b', 'c', 'mcp__a_b__c_a92700ce'],
  ['a', 'b__c', 'mcp__a__b__c'],
  ['a_', 'b', 'mcp__a__b_a00766a3'],
  ['a', '_b', 'mcp__a__b_ee647d3b'],
  ['github', 'search.code/v2', 'mcp__github__search_code_v2_9dd14439'],
  [
    'awslabs.billing-cost-management-mcp-server',
    'billing_cost_management_get_cost_and_usage_report',
    'mcp__awslabs_billing-cost-man__billing_cost_management_25b766ab',
  ],
];

describe('toExportName', () => {
  test.each(vectors)('%s and %s give %s', (server, tool, name) => {
    expect(toExportName(server, tool)).toBe(name);
  });

  test('every pair gives a legal name, and two pairs the same one only by a clash of 32 bits', () => {
    const count = process.env['TOOLWRIGHT_LONG'] === '1' ? 400_000 : 20_000;
    const part = string({
      unit: constantFrom('a', 'b', '_', '-', '.', ' ', 'é'),
      minLength: 1,
      maxLength: 40,
    });
    const names = new Map<string, string>();
    const clashes: string[] = [];
    const illegal: string[] = [];
    for (const [server, tool] of sample(tuple(part, part), { numRuns: count, seed: 7 })) {
      const name = toExportName(server, tool);
      if (!/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/.test(name)) illegal.push(name);
      const pair = `${server}\0${tool}`;
      const known = names.get(name);
      if (known !== undefined && known !== pair) clashes.push(name);
      names.set(name, pair);
    }
    expect(illegal).toEqual([]);
    // Plain names never clash; hashed ones do so about once in 2^32 pairs.
    expect(clashes.filter((name) => !/_[0-9a-f]{8}$/.test(name))).toEqual([]);
    expect(clashes.length).toBeLessThan(3);
  });

  test('a server as a whole has a name of its own', () => {
    expect(toServerEntryName('github')).toBe('mcp__github');
    expect(toServerEntryName('My Server')).toMatch(/^mcp__My_Server_[0-9a-f]{8}$/);
    expect(toServerEntryName('x'.repeat(80))).toMatch(/^mcp__x{24}_[0-9a-f]{8}$/);
  });
});
