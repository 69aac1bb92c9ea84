// What TAP says of the values of failed assertions.
const test = require('node:test');
const assert = require('node:assert');

const circle = { n: 1 };
circle.list = [circle];
const pairs = [
  [{ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }],
  [{ date: new Date(0), call() {}, symbol: Symbol('s'), big: 1n, none: undefined, null: null }, { map: new Map([[1, 2]]), text: 'two\nlines' }],
  [{ 'a b': 1, 1: 2, 'c:d': { e: [] } }, () => {}],
  [undefined, null],
  [NaN, -0],
  ["it's", 'a\\b'],
  ['', 'two\nlines'],
  [circle, { n: { deeper: circle } }],
  [Buffer.from('ab'), new Uint8Array(2)],
];
for (const [number, [actual, expected]] of pairs.entries()) test(`pair ${number}`, () => assert.deepStrictEqual(actual, expected));
test('equal', () => assert.equal(1, 2));
test('ok', () => assert.ok(0));
