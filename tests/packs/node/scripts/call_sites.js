// What `Error.prepareStackTrace` gets.
const of = (e) => { Error.prepareStackTrace = (error, sites) => sites; const { stack } = e; Error.prepareStackTrace = undefined; return stack; };
const path = require('path');
const NAMES = ['getTypeName', 'getFunctionName', 'getMethodName', 'getFileName', 'getLineNumber', 'getColumnNumber', 'getEvalOrigin', 'isToplevel', 'isEval', 'isNative', 'isConstructor', 'isAsync', 'isPromiseAll', 'getPromiseIndex', 'toString'];
const show = (label, e) => {
  for (const site of of(e).filter((each) => !/^node:/.test(each.getFileName() ?? '')))
    console.log(label, NAMES.map((name) => site[name]()).map((value) => (typeof value === 'string' ? JSON.stringify(path.basename(value)) : String(value))).join(' '), typeof site.getThis(), typeof site.getFunction());
};
class K { m() { return new Error(); } static s() { return new Error(); } constructor(f) { if (f) this.e = new Error(); } get g() { return new Error(); } }
show('m', new K().m()); show('s', K.s()); show('n', new K(1).e); show('g', new K().g); show('map', [1].map(function () { return new Error(); })[0]); show('eval', eval('new Error()')); show('Function', new Function('return new Error')());
show('strict', (function () { 'use strict'; return new Error(); })()); show('o', { f() { return new Error(); } }.f());
exports.a = function () { return new Error(); }; show('a', exports.a()); show('b', [function () { return new Error; }][0]()); show('al', { k: exports.a }.k());
console.log(Object.getOwnPropertyNames(Object.getPrototypeOf(of(new Error())[0])).sort(), Object.prototype.toString.call(of(new Error())[0]));
(async () => { await 1; show('async', new Error()); await (async function named() { await null; show('async2', new Error()); })(); })();
