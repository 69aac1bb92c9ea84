cat > people.json <<'END'
[
  {"name": "Ann", "age": 31, "tags": ["a", "b"], "address": {"city": "Bonn", "zip": "53111"}},
  {"name": "Bob", "age": 25, "tags": [], "address": {"city": "Köln", "zip": null}},
  {"name": "Cy \"C\"", "age": 42, "tags": ["c"], "address": null, "note": "a\tb\nc\\d/e"}
]
END
cat > package.json <<'END'
{"name":"demo","version":"1.2.3","scripts":{"build":"tsc","test":"jest --ci"},"dependencies":{"left-pad":"^1.0.0","lodash":"4.17.21"},"private":true}
END
printf '{"level":"info","ms":12,"msg":"start"}\n{"level":"error","ms":340,"msg":"boom"}\n{"level":"info","ms":7,"msg":"end"}\n' > log.ndjson
printf '1 2 3\n[4,5]\n"six"\n' > values.json
printf 'one\ntwo\n\nthree' > lines.txt
printf 'a,b,c\n1,2,3\n4,5,6\n' > table.csv
printf '{"a":[1,{"b":2}],"c":"d"}' > nested.json
printf '{"a":1' > broken.json
printf '[1,2,3,]' > comma.json
printf '{"a" 1}' > colon.json
printf '{a:1}' > bare.json
printf "{'a':1}" > quote.json
printf '' > empty.json
printf '\n \n' > blank.json
printf '\357\273\277{"bom":true}' > bom.json
printf '"\377\376a\303"' > invalid.json
printf '[1] [2]\n{"x":\n 3}\nnull' > several.json
printf '.a as $x\n| [$x, length] # comment\n' > prog.jq
printf '#!/usr/bin/jq -f\n.[0]\n' > script.jq
mkdir -p lib/sub
printf 'def inc: . + 1; def twice(f): f | f;' > lib/m.jq
printf 'import "m" as m; def inc2: m::twice(m::inc);' > lib/n.jq
printf 'module {"name":"meta","version":1}; def one: 1;' > lib/meta.jq
printf 'def deep: "deep";' > lib/sub/sub.jq
printf '{"k":[1,2]}' > lib/data.json
printf 'def broken: foo; ' > lib/undefined.jq
printf 'def syntax: 1 +;' > lib/syntax.jq
printf '1' > lib/main.jq
