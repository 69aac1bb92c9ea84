const test=require('node:test'); const assert=require('assert');
test('passes', () => {}); test('fails', () => { assert.strictEqual(1, 2); }); test('skip', {skip:true}, () => {}); test('todo', {todo:'later'}, () => { throw new Error('t'); });
test('sub', async (t) => { await t.test('inner', () => {}); await t.test('inner bad', () => { throw new Error('boom'); }); t.diagnostic('diag'); });
test.describe('suite', () => { test.before(() => {}); test.it('one', () => {}); test.it('two', (t, done) => { setTimeout(done, 5); }); test.describe('nested', () => { test.it('x', () => {}); }); });
