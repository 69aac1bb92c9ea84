// Deep equality, loose and strict.

const types = require('util/types');

function isDeepEqual(one, two, strict) {
  return equal(one, two, strict, { left: [], right: [] });
}

function equal(one, two, strict, memo) {
  if (one === two) return one !== 0 || !strict || Object.is(one, two);
  if (strict) {
    if (typeof one !== 'object') return typeof one === 'number' && Number.isNaN(one) && Number.isNaN(two);
    if (typeof two !== 'object' || one === null || two === null) return false;
    if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(two)) return false;
  } else {
    if (one === null || typeof one !== 'object') {
      // eslint-disable-next-line eqeqeq
      return (two === null || typeof two !== 'object') && (one == two || (Number.isNaN(one) && Number.isNaN(two)));
    }
    if (two === null || typeof two !== 'object') return false;
  }
  if (Object.prototype.toString.call(one) !== Object.prototype.toString.call(two)) return false;
  if (Array.isArray(one) !== Array.isArray(two)) return false;
  const kind = native.classOf(one);
  if (kind !== native.classOf(two) && !(one instanceof Error && two instanceof Error)) return false;
  if (Array.isArray(one)) return one.length === two.length && withKeys(one, two, strict, memo);
  switch (kind) {
    case 'Date':
      if (!Object.is(one.getTime(), two.getTime())) return false;
      break;
    case 'RegExp':
      if (one.source !== two.source || one.flags !== two.flags || one.lastIndex !== two.lastIndex) return false;
      break;
    case 'Set':
      return (
        one.size === two.size &&
        withMemo(one, two, memo, () => keysEqual(one, two, strict, memo) && setsEqual(one, two, strict, memo))
      );
    case 'Map':
      return (
        one.size === two.size &&
        withMemo(one, two, memo, () => keysEqual(one, two, strict, memo) && mapsEqual(one, two, strict, memo))
      );
    case 'Number':
    case 'String':
    case 'Boolean':
    case 'BigInt':
    case 'Symbol':
      if (!Object.is(one.valueOf(), two.valueOf())) return false;
      break;
    case 'ArrayBuffer':
    case 'SharedArrayBuffer':
      if (one.byteLength !== two.byteLength || native.compare(new Uint8Array(one), new Uint8Array(two)) !== 0)
        return false;
      break;
    default:
  }
  if (one instanceof Error || kind === 'Error') {
    if (one.message !== two.message || one.name !== two.name) return false;
    for (const key of ['cause', 'errors']) {
      const has = Object.prototype.hasOwnProperty.call(one, key);
      if (has !== Object.prototype.hasOwnProperty.call(two, key)) return false;
      if (has && !withMemo(one, two, memo, () => equal(one[key], two[key], strict, memo))) return false;
    }
  }
  if (ArrayBuffer.isView(one)) {
    if (one.byteLength !== two.byteLength) return false;
    if (!strict && types.isTypedArray(one) && /Float/.test(kind)) {
      for (let i = 0; i < one.length; i++)
        if (one[i] !== two[i] && !(Number.isNaN(one[i]) && Number.isNaN(two[i]))) return false;
    } else if (
      native.compare(
        new Uint8Array(one.buffer, one.byteOffset, one.byteLength),
        new Uint8Array(two.buffer, two.byteOffset, two.byteLength),
      ) !== 0
    )
      return false;
    const rest = (view) => Object.keys(view).filter((key) => !/^\d+$/.test(key));
    return compareKeys(one, two, strict, memo, rest(one), rest(two));
  }
  if (kind === 'WeakMap' || kind === 'WeakSet' || kind === 'Promise') return false;
  return withKeys(one, two, strict, memo);
}

function withKeys(one, two, strict, memo) {
  return withMemo(one, two, memo, () => keysEqual(one, two, strict, memo));
}

/// Objects that are being compared already are taken for equal if they are each other's.
function withMemo(one, two, memo, compare) {
  const at = memo.left.indexOf(one);
  if (at >= 0) {
    if (memo.right[at] === two) return true;
  }
  memo.left.push(one);
  memo.right.push(two);
  const same = compare();
  memo.left.pop();
  memo.right.pop();
  return same;
}

function keysEqual(one, two, strict, memo) {
  return compareKeys(one, two, strict, memo, Object.keys(one), Object.keys(two));
}

function compareKeys(one, two, strict, memo, left, right) {
  if (left.length !== right.length) return false;
  for (const key of left) if (!Object.prototype.propertyIsEnumerable.call(two, key)) return false;
  if (strict) {
    const symbols = (object) =>
      Object.getOwnPropertySymbols(object).filter((key) => Object.prototype.propertyIsEnumerable.call(object, key));
    const [a, b] = [symbols(one), symbols(two)];
    if (a.length !== b.length || a.some((key) => !b.includes(key))) return false;
    left = [...left, ...a];
  }
  for (const key of left) if (!equal(one[key], two[key], strict, memo)) return false;
  return true;
}

function setsEqual(one, two, strict, memo) {
  const rest = [];
  for (const item of one) {
    if (two.has(item)) continue;
    if (strict && (item === null || typeof item !== 'object')) return false;
    rest.push(item);
  }
  const others = [...two].filter((item) => !one.has(item));
  for (const item of rest) {
    const at = others.findIndex((other) => equal(item, other, strict, memo));
    if (at < 0) return false;
    others.splice(at, 1);
  }
  return true;
}

function mapsEqual(one, two, strict, memo) {
  const rest = [];
  for (const [key, value] of one) {
    if (two.has(key)) {
      if (!equal(value, two.get(key), strict, memo)) return false;
      continue;
    }
    if (strict && (key === null || typeof key !== 'object')) return false;
    rest.push([key, value]);
  }
  const others = [...two].filter(([key]) => !one.has(key));
  for (const [key, value] of rest) {
    const at = others.findIndex(([other, item]) => equal(key, other, strict, memo) && equal(value, item, strict, memo));
    if (at < 0) return false;
    others.splice(at, 1);
  }
  return true;
}

module.exports = { isDeepEqual };
