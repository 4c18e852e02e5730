import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printReceipt, receiptTotal } from '../src/receipt.js';

const lines = [
  { name: 'bread', cents: 250, quantity: 1 },
  { name: 'apples', cents: 40, quantity: 6 },
];

test('adds up all lines', () => {
  assert.equal(receiptTotal(lines), 490);
});

test('an empty receipt is worth nothing', () => {
  assert.equal(receiptTotal([]), 0);
});

test('prints the sum last', () => {
  assert.equal(printReceipt(lines).split('\n').at(-1), 'TOTAL                     4.90');
});
