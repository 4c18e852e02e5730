import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseToolQuery } from '../../src/tools/parse-query.ts';
import { rankTools } from '../../src/tools/rank-tools.ts';
import { ToolIndex, type RankableTool } from '../../src/tools/tool-index.ts';

const tool = (name: string, description = '', more: Partial<RankableTool> = {}): RankableTool => ({
  name,
  description,
  parameters: {},
  provider: 'p',
  keywords: [],
  ...more,
});
const indexOf = (...tools: readonly (RankableTool | string)[]) =>
  new ToolIndex(tools.map((each) => (typeof each === 'string' ? tool(each) : each)));
const find = (index: ToolIndex, query: string, limit = 5) => {
  const parsed = parseToolQuery(query);
  if (parsed.kind === 'select') throw new TypeError('not a ranking');
  return rankTools(index, parsed.keywords, limit).tools.map(({ name }) => name);
};

describe('handed cases', () => {
  test('TSEARCH-001: parts of an identifier', () => {
    const index = indexOf(
      'canvas_create_edge',
      'canvas_create_node',
      'addPerson',
      'addActivity',
      'getUserById',
      'parseHTMLResponse',
    );
    const first = (query: string) => find(index, query)[0];
    expect(first('create edge')).toBe('canvas_create_edge');
    expect(first('add person')).toBe('addPerson');
    expect(first('addperson')).toBe('addPerson');
    expect(first('user by id')).toBe('getUserById');
    expect(first('html response')).toBe('parseHTMLResponse');
    expect(first('CANVAS-CREATE-EDGE')).toBe('canvas_create_edge');
  });

  test('TSEARCH-002: an exact name beats everything', () => {
    const verbs = [
      'addPerson',
      'updatePerson',
      'deletePerson',
      'listPersons',
      'searchPersons',
      'mergePersons',
    ];
    const nouns = [
      'Deal',
      'Lead',
      'Note',
      'Activity',
      'Stage',
      'Pipeline',
      'Product',
      'File',
      'Filter',
      'Goal',
      'User',
      'Role',
      'Call',
      'Task',
    ];
    const names = [...verbs, ...nouns.map((noun) => `get${noun}`)].map(
      (name) => `${name}_mcp_pipedrive`,
    );
    const index = indexOf(
      ...names.map((name) => tool(name, 'Person in pipedrive, add mcp person')),
    );
    for (const name of names) {
      expect(find(index, name)[0]).toBe(name);
      expect(find(index, name.replaceAll('_', '-'))[0]).toBe(name);
      expect(find(index, name.replace('_mcp_', '.mcp/').toUpperCase())[0]).toBe(name);
    }
  });

  test('TSEARCH-005: invisible and full-width characters, accents', () => {
    const index = indexOf(
      tool('a', '\u200Bhello world'),
      tool('b', 'ｄｏｗｎｌｏａｄ file'),
      tool('c', 'Résumé parser'),
    );
    expect(find(index, 'hello')[0]).toBe('a');
    expect(find(index, 'download')[0]).toBe('b');
    expect(find(index, 'resume')[0]).toBe('c');
    expect(find(index, 'résumé'.normalize('NFD'))[0]).toBe('c');
  });

  test('TSEARCH-007: ties go by name', () => {
    const names = Array.from({ length: 50 }, (_, i) => `tool_${String(i).padStart(2, '0')}`);
    const index = indexOf(...names.toReversed().map((name) => tool(name, 'the same words')));
    expect(find(index, 'same words', 50)).toEqual(names);
  });

  test('TSEARCH-008: a stuffed description does not beat a name', () => {
    const index = indexOf(
      tool('send_email', 'Sends a message.'),
      tool('export_report', `Exports. ${'email '.repeat(200)}`, {
        parameters: { properties: { to: { description: 'email '.repeat(50) } } },
      }),
    );
    expect(find(index, 'send email')[0]).toBe('send_email');
  });

  test('TSEARCH-010: slips of the finger are a last resort', () => {
    const index = indexOf('echo', 'echo_file', 'create_calendar_event', 'download_url');
    expect(find(index, 'ehco')[0]).toBe('echo');
    expect(find(index, 'calender event')[0]).toBe('create_calendar_event');
    expect(find(index, 'dowload')[0]).toBe('download_url');
    expect(find(index, 'echo')).toEqual(['echo', 'echo_file']);
    expect(find(index, 'zzzzzz')).toEqual([]);
  });

  test('TSEARCH-012: a long description does not win', () => {
    const filler = Array.from({ length: 2000 }, (_, i) => `word${i % 300}`);
    filler.splice(10, 0, 'light');
    filler.splice(30, 0, 'three');
    filler.splice(50, 0, 'point');
    const index = indexOf(
      tool('resume_project', filler.join(' ')),
      tool('create_three_point_rig', 'Create a three point light rig'),
    );
    expect(find(index, 'light rig three point')[0]).toBe('create_three_point_rig');
  });
});

describe("Eino's catalogue", () => {
  const index = indexOf(
    tool('get_weather', 'Get current weather for a city'),
    tool('search_flights', 'Search available flights'),
    tool('mcp__slack__send_message', 'Send a message to Slack channel'),
    tool('mcp__slack__read_channel', 'Read messages from Slack channel'),
    tool('create_calendar_event', 'Create a new calendar event'),
    tool('NotebookEdit', 'Edit Jupyter notebook cells'),
  );

  test.each<[string, string[]]>([
    ['weather', ['get_weather']],
    ['jupyter', ['NotebookEdit']],
    ['cell', ['NotebookEdit']],
    ['+slack send', ['mcp__slack__send_message', 'mcp__slack__read_channel']],
    ['+github send', []],
    ['send message', ['mcp__slack__send_message', 'mcp__slack__read_channel']],
    ['+', []],
    // In Eino `send_message` is one string that no part equals and scores least; here a name finds its tool.
    ['send_message', ['mcp__slack__send_message', 'mcp__slack__read_channel']],
    // The second plus belongs to the word, which then stands nowhere; so does one that is punctuation alone.
    ['++slack', []],
    ['++slack send', []],
    ['+!!! send', []],
    // In Eino a letter finds every name that holds it; here words that say nothing find nothing.
    ['a', []],
    ['the for a', []],
    // There four more tools follow, found by "a" and "for" alone.
    ['get the weather for a city', ['get_weather']],
  ])('%s', (query, names) => {
    expect(find(index, query)).toEqual(names);
  });

  test('a keyword that two tools share finds both', () => {
    expect(find(index, 'slack').toSorted()).toEqual([
      'mcp__slack__read_channel',
      'mcp__slack__send_message',
    ]);
    expect(find(index, 'slack', 1)).toHaveLength(1);
  });
});

test('keywords of a definition are synonyms, and a server can be required', () => {
  const index = indexOf(
    tool('start_process', 'Starts a program.', {
      keywords: ['run command', 'shell'],
      provider: 'desktop',
    }),
    tool('list_files', 'Lists files.', { provider: 'github' }),
    tool('other', 'Mentions github in passing: list'),
  );
  expect(find(index, 'run command')[0]).toBe('start_process');
  expect(find(index, '+github list')).toEqual(['list_files']);
});

test('a required word that no name holds is looked for in descriptions, and that is said', () => {
  const index = indexOf(
    tool('notebook_edit', 'Edit Jupyter cells'),
    tool('edit_file', 'Edit a file'),
  );
  const ranking = rankTools(
    index,
    [
      { text: 'jupyter', required: true },
      { text: 'edit', required: false },
    ],
    5,
  );
  expect(ranking).toMatchObject({ relaxed: true, tools: [{ name: 'notebook_edit' }] });
});

test('ideographs are found by parts of words', () => {
  const index = indexOf(
    tool('send_mail', '发送电子邮件给收件人'),
    tool('read_file', '读取文件内容'),
  );
  expect(find(index, '邮件')[0]).toBe('send_mail');
  expect(find(index, '读文件')[0]).toBe('read_file');
});

test('whatever is asked, ranking is total, ordered and within its limit', () => {
  const index = indexOf(
    ...['a_b', 'ab', 'aB', 'b-a', 'x.y'].map((name) => tool(name, `${name} does x`)),
  );
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 4 }), (query, limit) => {
      const parsed = parseToolQuery(query);
      if (parsed.kind === 'select') return;
      const { tools } = rankTools(index, parsed.keywords, limit);
      expect(tools.length).toBeLessThanOrEqual(limit);
      expect(tools).toEqual(
        tools.toSorted((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1)),
      );
    }),
    { numRuns: 300, seed: 4 },
  );
});

test('an answer does not depend on what was asked before', () => {
  const tools = ['send_mail', 'read_mail', 'mail_rules', 'calendar_event'].map((name) =>
    tool(name, `${name} does things with mail`),
  );
  const shared = indexOf(...tools);
  const queries = [
    'send mail',
    '+calendar mail',
    'sendmail',
    '+nothing mail',
    'rules',
    'mail mail',
  ];
  for (const query of [...queries, ...queries.toReversed()]) {
    const keywords = parseToolQuery(query);
    expect(keywords.kind).toBe('keywords');
    const asked = keywords.kind === 'keywords' ? keywords.keywords : [];
    expect(rankTools(shared, asked, 5)).toEqual(rankTools(indexOf(...tools), asked, 5));
  }
});
