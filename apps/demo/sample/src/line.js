/** The price of one line in cents; a missing line is worth nothing a sum could use. */
export function lineTotal(line) {
  return line === undefined ? Number.NaN : line.cents * line.quantity;
}
