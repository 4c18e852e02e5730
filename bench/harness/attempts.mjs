import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median } from './paired.mjs';

const MAX_ATTEMPTS = 3;
/** A row that hangs is ended: ten times what a row should last. */
const MAX_ROW_MS = 600_000;
const measureRow = fileURLToPath(new URL('measure-row.mjs', import.meta.url));

/**
 * Measures a row until every comparison has been decided: by an attempt that reaches its bar, or by the majority of
 * three. Returns a result for each comparison, in their order.
 */
export async function attempt(file, comparisons) {
  const seen = new Map(comparisons.map(({ row }) => [row, []]));
  for (let number = 1; number <= MAX_ATTEMPTS; number += 1) {
    const outcomes = await measure(file);
    for (const [id, attempts] of seen) {
      attempts.push(outcomes[id] ?? { failed: outcomes.failed ?? 'the row did not measure it' });
    }
    if (comparisons.every((comparison) => isDecided(comparison, seen.get(comparison.row)))) break;
  }
  return comparisons.map((comparison) => resultOf(comparison, seen.get(comparison.row)));
}

function isDecided({ bar }, attempts) {
  if (attempts.some(({ missing, failed }) => missing !== undefined || failed !== undefined)) {
    return true;
  }
  const missed = attempts.filter(({ ratio }) => !(ratio <= bar)).length;
  return missed === 0 || missed >= 2;
}

function resultOf(comparison, attempts) {
  const { row, bar, target, unit = 'ms' } = comparison;
  const shared = { row, bar, target };
  const names = { unit, of: { anchor: comparison.anchor, ours: comparison.ours } };
  const unmeasured = { ratio: null, anchor: null, ours: null, rounds: 0 };
  const odd = attempts.find(({ missing, failed }) => missing !== undefined || failed !== undefined);
  if (odd?.missing !== undefined) {
    return { ...shared, ...unmeasured, ok: null, reason: odd.missing, ...names };
  }
  if (odd !== undefined) {
    return { ...shared, ...unmeasured, ok: false, reason: odd.failed, ...names };
  }
  const missed = attempts.filter(({ ratio }) => !(ratio <= bar)).length;
  return {
    ...shared,
    ratio: round(median(attempts.map(({ ratio }) => ratio))),
    ok: missed === 0 || missed * 2 < attempts.length,
    anchor: inUnit(median(attempts.map(({ anchor }) => anchor)), unit),
    ours: inUnit(median(attempts.map(({ ours }) => ours)), unit),
    rounds: attempts[0].rounds,
    attempts: attempts.map(({ ratio }) => round(ratio)),
    ...names,
  };
}

function measure(file) {
  return new Promise((resolve) => {
    const child = fork(measureRow, [file], { execArgv: ['--expose-gc'] });
    let outcomes = { failed: 'the process of the row ended without an answer' };
    const timer = setTimeout(() => {
      outcomes = { failed: `not done after ${MAX_ROW_MS / 1000} s` };
      child.kill('SIGKILL');
    }, MAX_ROW_MS);
    child.on('message', (message) => {
      outcomes = message;
    });
    child.on('close', () => {
      clearTimeout(timer);
      resolve(outcomes);
    });
  });
}

function inUnit(value, unit) {
  if (!Number.isFinite(value)) return null;
  return round(unit === 'µs' ? value * 1000 : value);
}

/** Three significant digits. */
function round(value) {
  return Number(value.toPrecision(3));
}
