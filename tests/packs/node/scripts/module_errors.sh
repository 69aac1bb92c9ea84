# What is said of modules that are of the wrong kind, and of exceptions that nobody catches.
mkdir -p /tmp/node-case/errors/mm && cd /tmp/node-case/errors || exit 1
show() { printf '## %s\n' "$1"; node "$1" 2>&1 | grep -v '^ *at .*node:' | sed 's/ {$//'; }
echo 'require("fs")' > g.mjs
echo 'console.log(__dirname)' > h.mjs
echo 'export const a = 1' > i.cjs
echo '{"type":"module"}' > mm/package.json
echo 'module.exports = 1' > mm/a.js
echo 'const e = new Error("x"); e.more = { a: { b: { c: { d: { e: { f: 1 } } } } } }; throw e' > k.cjs
echo 'const { a } = require("fs").nope' > l.cjs
echo 'const list = {}; for (const x of list) ;' > m.cjs
echo 'class A extends undefined {}' > o.cjs
for file in g.mjs h.mjs i.cjs mm/a.js k.cjs l.cjs m.cjs o.cjs; do show "$file"; done
