import { ours } from '../harness/packages.mjs';
import { grepRequest, ourPlaces, placesOf, ripgrep, sameList } from '../harness/ripgrep.mjs';
import { sourceTree } from '../harness/source-tree.mjs';
import { warmIndex } from '../harness/warm-index.mjs';

export const work =
  'grep 24,000 files again in a session, whose index follows the tree; all lines, the same rules';

const anchor = 'ripgrep 15, started for each search';
const queries = [
  ['G2.none', 0.06, 0.03, 'zqxjkvbnotthere', 'nothing is found'],
  ['G2.rare', 0.15, 0.06, 'convertToModelMessages', '6 lines'],
  ['G2.common', 0.4, 0.2, 'useState', '1,500 lines'],
];

export const comparisons = queries.map(([row, bar, target, pattern, found]) => ({
  row,
  bar,
  target,
  anchor,
  ours: `\`${pattern}\`: ${found}`,
}));

export async function measure(bench) {
  const { localWorkspace } = await ours('workspace-local');
  const { root } = sourceTree();
  const workspace = localWorkspace(root);
  const { search } = workspace;
  await warmIndex(workspace);
  for (const [row, , , pattern] of queries) {
    await bench.compare(row, {
      anchor: () => ripgrep(['-n', '-F', '-e', pattern, '.'], root),
      ours: () => search.grep(grepRequest(pattern, { literal: true })),
      check: (theirs, found) => sameList(placesOf(theirs), ourPlaces(found)),
      rounds: 9,
      warmup: 2,
    });
  }
  await workspace.close();
}
