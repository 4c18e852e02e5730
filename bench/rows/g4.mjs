import { ours } from '../harness/packages.mjs';
import { ripgrep, rowsOf, sameList } from '../harness/ripgrep.mjs';
import { sourceTree } from '../harness/source-tree.mjs';
import { warmIndex } from '../harness/warm-index.mjs';

export const work = 'globs over a tree of 24,000 files that a session knows already';

const globs = [
  ['G4.name', '*.ts'],
  ['G4.braces', '*.{md,css}'],
  ['G4.path', '/src/part1*/**/*.js'],
];

export const comparisons = globs.map(([row, glob]) => ({
  row,
  bar: 0.08,
  target: 0.06,
  anchor: '`rg --files -g` of ripgrep 15',
  ours: `the walker with \`${glob}\`, from the index that follows the tree`,
}));

export async function measure(bench) {
  const { localWorkspace } = await ours('workspace-local');
  const { root } = sourceTree();
  const workspace = localWorkspace(root);
  await warmIndex(workspace);
  for (const [row, include] of globs) {
    await bench.compare(row, {
      anchor: () => ripgrep(['--files', '-g', include], root),
      ours: async () => {
        const paths = [];
        for await (const batch of workspace.walker.walk({ include })) {
          for (const { path } of batch) paths.push(path);
        }
        return paths;
      },
      check: (theirs, found) => sameList(rowsOf(theirs).sort(), found),
      rounds: 9,
      warmup: 2,
    });
  }
  await workspace.close();
}
