import { ours } from '../harness/packages.mjs';
import { ripgrep, rowsOf, sameList } from '../harness/ripgrep.mjs';
import { sourceTree } from '../harness/source-tree.mjs';

export const work = 'list 24,000 files by nested ignore rules';

export const comparisons = [
  {
    row: 'G3',
    bar: 0.65,
    target: 0.45,
    anchor: '`rg --files` of ripgrep 15',
    ours: "the workspace's walker",
  },
];

export async function measure(bench) {
  const { localWorkspace } = await ours('workspace-local');
  const { root } = sourceTree();
  const workspace = localWorkspace(root, { searchIndex: false });
  await bench.compare('G3', {
    anchor: () => ripgrep(['--files'], root),
    ours: async () => {
      const paths = [];
      for await (const batch of workspace.walker.walk())
        for (const { path } of batch) paths.push(path);
      return paths;
    },
    check: (theirs, found) => sameList(rowsOf(theirs).sort(), found),
    rounds: 11,
    warmup: 2,
  });
  await workspace.close();
}
