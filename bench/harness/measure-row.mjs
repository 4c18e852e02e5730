// Measures one row in a process of its own, which the runner starts: `node --expose-gc measure-row.mjs FILE`.
// Answers with one message: what each comparison came to.
import { pathToFileURL } from 'node:url';
import { median, paired } from './paired.mjs';

const row = await import(pathToFileURL(process.argv[2]));
const outcomes = {};
const bench = {
  async compare(id, variants) {
    outcomes[id] = await paired(variants);
  },
  value(id, values) {
    outcomes[id] = { ratio: median(values), ours: median(values), rounds: values.length };
  },
  missing(id, reason) {
    outcomes[id] = { missing: reason };
  },
};
try {
  await row.measure(bench);
} catch (error) {
  console.error(error);
  for (const { row: id } of row.comparisons)
    outcomes[id] ??= { failed: String(error).split('\n')[0] };
}
process.send(outcomes, () => process.exit(0));
