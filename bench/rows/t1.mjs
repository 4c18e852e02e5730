import { ours } from '../harness/packages.mjs';
import { randomFrom } from '../harness/source-tree.mjs';

export const work = 'find tools among 10,000 by words';

const anchor = 'MiniSearch, prefix and fuzzy, fields weighted';

export const comparisons = [
  { row: 'T1.build', bar: 0.4, target: 0.3, anchor, ours: 'make the index' },
  { row: 'T1.query', bar: 0.02, target: 0.01, anchor, ours: 'rank 60 queries', unit: 'µs' },
];

const toolCount = 10_000;
const services =
  'github gitlab jira slack notion linear asana trello stripe shopify salesforce hubspot zendesk gmail outlook calendar drive dropbox storage postgres mysql mongodb redis kafka kubernetes docker terraform datadog grafana sentry twilio zoom figma confluence bitbucket'.split(
    ' ',
  );
const verbs = {
  create: 'Makes a new',
  list: 'Lists every',
  get: 'Fetches one',
  update: 'Changes an existing',
  delete: 'Removes a',
  search: 'Looks for a',
  archive: 'Puts away a',
  export: 'Downloads a',
  import: 'Uploads a',
  share: 'Gives access to a',
  move: 'Relocates a',
  copy: 'Duplicates a',
};
const nouns =
  'issue pull_request repository branch commit file folder document page message channel user team invoice customer order product event task ticket table row query cluster deployment alert dashboard webhook secret report'.split(
    ' ',
  );

export async function measure(bench) {
  const { default: MiniSearch } = await import('minisearch');
  const { rankTools, ToolIndex } = await ours('tool-search');
  const tools = catalogue();
  const queries = queriesOf(tools);
  const buildMini = () => {
    const index = new MiniSearch({
      fields: ['name', 'description', 'params'],
      idField: 'name',
      searchOptions: { boost: { name: 4, description: 2 }, prefix: true, fuzzy: 0.2 },
      tokenize: (text) => text.toLowerCase().match(/[a-z0-9]+/g) ?? [],
    });
    index.addAll(
      tools.map((tool) => ({ ...tool, params: Object.keys(tool.parameters.properties).join(' ') })),
    );
    return index;
  };
  await bench.compare('T1.build', {
    anchor: buildMini,
    ours: () => new ToolIndex(tools),
    check: (mini, own) => {
      if (mini.documentCount !== own.tools.length) throw new Error('the results differ');
    },
    rounds: 9,
    warmup: 2,
  });
  const [mini, own] = [buildMini(), new ToolIndex(tools)];
  await bench.compare('T1.query', {
    anchor: () => queries.map(({ query }) => mini.search(query).slice(0, 10)),
    ours: () =>
      queries.map(({ query }) => {
        const keywords = query.split(' ').map((text) => ({ text, required: false }));
        return rankTools(own, keywords, 10).tools;
      }),
    check: (theirs, found) => {
      const right = queries.map(({ name }, at) => [
        theirs[at][0]?.id === name,
        found[at][0]?.name === name,
      ]);
      const [mini1, own1] = [0, 1].map((side) => right.filter((row) => row[side]).length);
      if (own1 < mini1) throw new Error(`first result right: ${own1} of 60, MiniSearch ${mini1}`);
    },
    rounds: 5,
    calls: queries.length,
  });
}

function catalogue() {
  const all = services.flatMap((service) =>
    Object.entries(verbs).flatMap(([verb, says]) =>
      nouns.map((noun) => ({
        name: `${service}_${verb}_${noun}`,
        description: `${says} ${noun.replace('_', ' ')} in ${service}. Requires an authenticated connection; returns the ${noun.replace('_', ' ')} id and its metadata as JSON.`,
        parameters: {
          properties: { id: {}, workspace: {}, limit: {}, cursor: {}, [`${noun}_id`]: {} },
        },
        provider: service,
        keywords: [],
      })),
    ),
  );
  const random = randomFrom(5);
  for (let at = all.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [all[at], all[other]] = [all[other], all[at]];
  }
  return all.slice(0, toolCount);
}

function queriesOf(tools) {
  return Array.from({ length: 60 }, (_, number) => {
    const { name } = tools[(number * 7919) % tools.length];
    const [service, verb, ...rest] = name.split('_');
    const noun = rest.join(' ');
    const forms = [
      `${verb} ${noun} in ${service}`,
      `${service} ${noun} ${verb}`,
      `${verb} ${service} ${noun}`,
    ];
    return { name, query: forms[number % forms.length] };
  });
}
