# Programs that end with exceptions: what they say, and where.
cat > stacks/ends.js <<'END'
throw new Error('top');
END
node stacks/ends.js; echo "status $?"
cat > stacks/ends.js <<'END'
const f = async () => { await 1; throw new TypeError('rejected'); }; f();
END
node stacks/ends.js; echo "status $?"
cat > stacks/ends.js <<'END'
function a() { b(); }
function b() {
  const x = {};
  x.y.z();
}
a();
END
node stacks/ends.js; echo "status $?"
cat > stacks/ends.js <<'END'
let s = eval('1 +* 2');
END
node stacks/ends.js; echo "status $?"
cat > stacks/ends.js <<'END'
new Function('return 1 +* 2');
END
node stacks/ends.js; echo "status $?"
cat > stacks/ends.js <<'END'
require('vm').runInThisContext('foo.bar', 'my.js');
END
node stacks/ends.js; echo "status $?"
cat > stacks/ends.js <<'END'
require('vm').runInNewContext('function f() { throw new Error("ctx"); }\nf()', { a: 1 }, { filename: 'ctx.js' });
END
node stacks/ends.js; echo "status $?"
cat > stacks/ends.js <<'END'
JSON.parse('{"a":');
END
node stacks/ends.js; echo "status $?"
cat > stacks/ends.js <<'END'
Promise.reject(new RangeError('no handler'));
END
node stacks/ends.js; echo "status $?"
cat > stacks/ends.js <<'END'
class A { static run() { A.inner(); } static inner() { [1].forEach((x) => { this.boom(x); }); } static boom() { throw Object.assign(new Error('boom'), { code: 'E' }); } } A.run();
END
node stacks/ends.js; echo "status $?"
cat > stacks/ends.js <<'END'
process.nextTick(() => { throw new Error('tick'); });
END
node stacks/ends.js; echo "status $?"
cat > stacks/ends.mjs <<'END'
await Promise.all([1, 2].map(async (x) => { await x; throw new Error('in all ' + x); }));
END
node stacks/ends.mjs; echo "status $?"
cat > stacks/ends.js <<'END'
eval('\n  null.x');
END
node stacks/ends.js; echo "status $?"
cat > stacks/ends.js <<'END'
(0, eval)('throw new Error("x")');
END
node stacks/ends.js; echo "status $?"
