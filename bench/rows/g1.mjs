import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ours } from '../harness/packages.mjs';
import { grepRequest, ourPlaces, placesOf, ripgrep, sameList } from '../harness/ripgrep.mjs';
import { sourceTree } from '../harness/source-tree.mjs';

export const work =
  'grep 24,000 files (6,000 more are ignored), nothing known of them before; all lines, the same rules';

const anchor = 'ripgrep 15, started for each search';
const queries = [
  { row: 'G1.literal', pattern: 'useState', options: { literal: true }, flags: ['-F'] },
  {
    row: 'G1.case',
    pattern: 'abortcontroller',
    options: { literal: true, caseSensitive: false },
    flags: ['-F', '-i'],
  },
  { row: 'G1.regex', pattern: 'function\\s+\\w+Handler', options: {}, flags: [] },
  { row: 'G1.any', bar: 1.45, target: 1, pattern: '[A-Z]{4}-[0-9]{3,}', options: {}, flags: [] },
];

export const comparisons = [
  ...queries.map(({ row, bar = 0.9, target = 0.65, pattern }) => ({
    row,
    bar,
    target,
    anchor,
    ours: `the scanner in worker threads, without an index: \`${pattern}\``,
  })),
  { row: 'G1.small', bar: 0.6, target: 0.5, anchor, ours: 'the same in a tree of 1,000 files' },
  {
    row: 'G1.loop',
    bar: 10,
    target: 5,
    anchor: 'none: 99th percentile of the delay of the event loop meanwhile, in ms',
    ours: 'searches of the whole tree',
    unit: 'ms',
  },
];

export async function measure(bench) {
  const { localWorkspace } = await ours('workspace-local');
  const { root, small } = sourceTree();
  const workspace = localWorkspace(root, { searchIndex: false });
  const { search } = workspace;
  for (const { row, pattern, options, flags } of queries) {
    await bench.compare(row, {
      anchor: () => ripgrep(['-n', ...flags, '-e', pattern, '.'], root),
      ours: () => search.grep(grepRequest(pattern, options)),
      check: (theirs, found) => sameList(placesOf(theirs), ourPlaces(found)),
      rounds: 7,
    });
  }
  await bench.compare('G1.small', {
    anchor: () => ripgrep(['-n', '-F', '-e', 'useState', small], root),
    ours: () => search.grep(grepRequest('useState', { literal: true, path: small })),
    check: (theirs, found) => sameList(placesOf(theirs), ourPlaces(found)),
    rounds: 15,
  });
  bench.value('G1.loop', await loopDelays(search));
  await workspace.close();
}

async function loopDelays(search) {
  const delays = [];
  for (let round = 0; round < 5; round += 1) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    await search.grep(grepRequest('useState', { literal: true }));
    delay.disable();
    delays.push(delay.percentile(99) / 1e6);
  }
  return delays;
}
