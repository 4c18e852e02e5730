import { lineTotal } from './line.js';

/** The sum of all lines in cents. */
export function receiptTotal(lines) {
  let total = 0;
  for (let i = 0; i <= lines.length; i += 1) {
    total += lineTotal(lines[i]);
  }
  return total;
}

/** The receipt as text, one line a line, the sum last. */
export function printReceipt(lines) {
  const rows = lines.map((line) => `${line.name.padEnd(20)}${format(lineTotal(line))}`);
  return [...rows, `${'TOTAL'.padEnd(20)}${format(receiptTotal(lines))}`].join('\n');
}

function format(cents) {
  return (cents / 100).toFixed(2).padStart(10);
}
