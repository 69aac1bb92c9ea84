// RegExp's memory of the last match.
const vm = require("vm");
const state = () => [RegExp.$1, RegExp.$2, RegExp.$9, RegExp.lastMatch, RegExp["$+"], RegExp["$`"], RegExp["$'"], RegExp.$_, RegExp.input];
// Natively, what the library matches is seen, too, so the state is read before anything is shown.
const show = () => { const now = state(); console.log(now.join("|")); };
show();
for (const name of Object.getOwnPropertyNames(RegExp)) {
  const property = Object.getOwnPropertyDescriptor(RegExp, name);
  if (property.get) console.log(name, property.get.name, property.get.length, property.set.name, property.set.length, property.enumerable, property.configurable);
}
/(a)(b)?(c)?/.exec("xxab yy");
show();
/z/.exec("q");
show();
"foo bar".replace(/o(.)/g, (whole, one) => (console.log("within", RegExp.$1), "x"));
show();
for (const make of [
  () => "a1b2".split(/(\d)/), () => "k=v".match(/(.)=(.)/g), () => "zz9".search(/(\d)/), () => "abc".replaceAll(/(b)/g, "$1$1"),
  () => "hello".replace(/l(.)/, ""), () => "banana".replace(/n(.)/g, ""), () => /(ü)(x)?/.test("aüb"), () => /(?<year>\d{4})/u.exec("in 1999 😀"),
  () => /(((((((((((x)))))))))))/.test("x"), () => /(a)|(b)/.test("a"), () => /(a)|(b)/.test("b"), () => /x/.exec(123), () => /$/.exec("end"),
  () => [..."1a2b".matchAll(/(\d)(.)/g)].length, () => /(\d)\1/y.exec("11"), () => "a-b".split("-"), () => "abc".replace("b", "x"),
  () => new (class extends RegExp {})("(q)").exec("q"), () => Reflect.apply(RegExp.prototype.exec, /(r)/, ["r"]), () => ["7"].map(Function.prototype.call, String.prototype.trim),
  () => /(never)/.exec("else"), () => /(?:none)/.exec("none"),
]) {
  /(s)(t)/.exec("st");
  const made = make();
  const now = state();
  console.log(String(make), "=>", made, now.join("|"));
}
for (const match of "1a2b".matchAll(/(\d)(.)/g)) console.log(match[0], RegExp.$1, RegExp.$2);
RegExp.input = 5;
RegExp.$1 = "no";
show();
try { RegExp.input = Symbol("s"); } catch (e) { console.log(e.message); }
RegExp.input = { toString: () => "said" };
console.log(RegExp.$_, RegExp.lastMatch);
/(u)/.test("u");
console.log(RegExp.$1, vm.runInThisContext('/(t)/.exec("t"); RegExp.$1'), RegExp.$1);
(async () => { /(w)/.test("w"); await null; console.log(RegExp.$1); })();
eval('/(e)/.test("e")');
console.log(RegExp.$1);
