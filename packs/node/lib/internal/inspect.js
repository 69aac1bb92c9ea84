// How values are shown: `util.inspect`, `util.format`.

const custom = Symbol.for('nodejs.util.inspect.custom');

const DEFAULTS = {
  showHidden: false,
  depth: 2,
  colors: false,
  customInspect: true,
  showProxy: false,
  maxArrayLength: 100,
  maxStringLength: 10000,
  breakLength: 80,
  compact: 3,
  sorted: false,
  getters: false,
  numericSeparator: false,
};

/// The numbers that terminals know styles by, [on, off], in the order that programs see.
const COLORS = { __proto__: null };
{
  const effects = (text) => {
    for (const [, name, on, off] of text.matchAll(/(\w+):(\d+)-(\d+)/g)) COLORS[name] = [+on, +off];
  };
  const hues = (first, off, nameOf) => {
    const names = ['Black', 'Red', 'Green', 'Yellow', 'Blue', 'Magenta', 'Cyan', 'White'];
    names.forEach((name, i) => { COLORS[nameOf(name)] = [first + i, off]; });
  };
  effects('reset:0-0 bold:1-22 dim:2-22 italic:3-23 underline:4-24 blink:5-25 inverse:7-27 hidden:8-28');
  effects('strikethrough:9-29 doubleunderline:21-24');
  hues(30, 39, (hue) => hue.toLowerCase());
  hues(40, 49, (hue) => `bg${hue}`);
  effects('framed:51-54 overlined:53-55');
  hues(90, 39, (hue) => (hue === 'Black' ? 'gray' : `${hue.toLowerCase()}Bright`));
  hues(100, 49, (hue) => (hue === 'Black' ? 'bgGray' : `bg${hue}Bright`));
}

/// Other names, which are not listed.
const ALIASES = {
  gray: 'grey blackBright',
  bgGray: 'bgGrey bgBlackBright',
  dim: 'faint',
  strikethrough: 'crossedout strikeThrough crossedOut',
  hidden: 'conceal',
  inverse: 'swapColors swapcolors',
  doubleunderline: 'doubleUnderline',
};
for (const [name, others] of Object.entries(ALIASES)) {
  const alias = { get: () => COLORS[name], set(codes) { COLORS[name] = codes; }, configurable: true };
  for (const other of others.split(' ')) Object.defineProperty(COLORS, other, alias);
}

const STYLES = {
  __proto__: null,
  ...Object.fromEntries(
    (
      'special:cyan number:yellow bigint:yellow boolean:yellow undefined:grey null:bold ' +
      'string:green symbol:green date:magenta regexp:red module:underline'
    )
      .split(' ')
      .map((pair) => pair.split(':')),
  ),
};

function inspect(value, options, ...old) {
  return new Printer(options, old[0], old[1]).show(value, 0);
}
inspect.custom = custom;
Object.defineProperty(inspect, 'defaultOptions', {
  get: () => DEFAULTS,
  set(options) {
    require('internal/errors').check.object(options, 'options');
    Object.assign(DEFAULTS, options);
  },
});
inspect.colors = COLORS;
inspect.styles = STYLES;

const plain = (text) => text;

function colored(text, style) {
  const codes = COLORS[STYLES[style]];
  return codes === undefined ? text : `\x1b[${codes[0]}m${text}\x1b[${codes[1]}m`;
}

const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
const hasOwn = (object, key) => Object.prototype.hasOwnProperty.call(object, key);
const isEnumerable = (object, key) => Object.prototype.propertyIsEnumerable.call(object, key);
const counted = (count, what) => `${count} ${what}${count > 1 ? 's' : ''}`;
const more = (count, what = 'more item') => `... ${counted(count, what)}`;

// Text.

const SHORT_ESCAPES = { '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r', '\\': '\\\\' };
/// What cannot stand in a string as it is: control characters, halves of surrogate pairs, the backslash and the quote.
const UNSAFE = {
  "'": /[\p{Cc}\p{Cs}\\']/gu,
  '"': /[\p{Cc}\p{Cs}\\"]/gu,
  '`': /[\p{Cc}\p{Cs}\\`]/gu,
};

function escapeOf(char) {
  if (SHORT_ESCAPES[char]) return SHORT_ESCAPES[char];
  const hex = char.charCodeAt(0).toString(16);
  if (hex.length === 4) return `\\u${hex}`;
  return /\p{Cc}/u.test(char) ? `\\x${hex.toUpperCase().padStart(2, '0')}` : `\\${char}`;
}

const escaped = (text, quote = "'") => text.replace(UNSAFE[quote], escapeOf);

/// A string in quotes: single ones, unless others need no escapes.
function quoted(text) {
  // Most strings need no care.
  if (/^[ -&(-[\]-~]*$/.test(text)) return `'${text}'`;
  let quote = "'";
  if (text.includes("'")) quote = ['"', '`'].find((other) => !text.includes(other)) ?? quote;
  if (quote === '`' && text.includes('${')) quote = "'";
  return quote + escaped(text, quote) + quote;
}

/// 1234567 as 1_234_567.
const grouped = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, '_');

function numberText(value, isGrouped) {
  if (!isGrouped) return Object.is(value, -0) ? '-0' : `${value}`;
  const [whole, fraction] = `${value}`.split('.');
  if (fraction === undefined) return grouped(whole);
  return `${grouped(whole)}.${fraction.replace(/\d{3}(?=\d)/g, '$&_')}`;
}

const bigintText = (value, isGrouped) => `${isGrouped ? grouped(`${value}`) : value}n`;

// eslint-disable-next-line no-control-regex
const uncolored = (text) => text.replace(/\x1b\[\d\d?m/g, '');

/// Characters that take two columns of a terminal, and those that take none.
const WIDE = new RegExp(
  '[\\u1100-\\u115f\\u2329\\u232a\\u2e80-\\u303e\\u3040-\\u3247\\u3250-\\u4dbf\\u4e00-\\ua4c6\\ua960-\\ua97c' +
    '\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe10-\\ufe19\\ufe30-\\ufe6b\\uff01-\\uff60\\uffe0-\\uffe6' +
    '\\u{1b000}\\u{1b001}\\u{1f200}-\\u{1f251}\\u{1f300}-\\u{1f64f}\\u{1f900}-\\u{1f9ff}\\u{20000}-\\u{3fffd}]',
  'u',
);
const UNSEEN =
  /[\p{Cc}\u0300-\u036f\u200b-\u200f\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\u{e0100}-\u{e01ef}]/u;

/// Columns that text takes in a terminal.
function visibleWidth(text) {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const char of text.normalize('NFC')) {
    if (WIDE.test(char)) width += 2;
    else if (!UNSEEN.test(char)) width += 1;
  }
  return width;
}

// Objects.

/// What a proxy stands for, after all proxies; null if one of them is revoked.
function unproxied(value) {
  try {
    for (let parts; (parts = native.proxyParts(value)) !== undefined;) [value] = parts;
    return value;
  } catch {
    return null;
  }
}

/// The constructors that the language has, and those of them that are here.
const BUILTIN = new Set(
  (
    'Object Array Function Date RegExp Map Set WeakMap WeakSet WeakRef Promise Proxy Iterator ' +
    'Symbol Boolean Number String BigInt ArrayBuffer SharedArrayBuffer DataView ' +
    'Error TypeError RangeError SyntaxError ReferenceError EvalError URIError AggregateError ' +
    'Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array ' +
    'Float32Array Float64Array BigInt64Array BigUint64Array'
  )
    .split(' ')
    .map((name) => globalThis[name])
    .filter(Boolean),
);

const makerIn = (prototype) => Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
const isBuiltin = (prototype) => BUILTIN.has(makerIn(prototype));

function isMadeBy(value, maker) {
  if (typeof maker !== 'function' || maker.name === '') return false;
  try {
    return value instanceof maker;
  } catch {
    return false;
  }
}

/// The name of what made an object, with its prototype if that does not tell it; null if there is no prototype.
function makerOf(value, printer, level) {
  for (let holder = value; holder !== null; holder = Object.getPrototypeOf(holder)) {
    const maker = makerIn(holder);
    if (isMadeBy(value, maker)) return String(maker.name);
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null) return null;
  const kind = native.classOf(value);
  if (printer.isTooDeep(level)) return `${kind} <Complex prototype>`;
  const above = makerOf(prototype, printer, level + 1);
  return `${kind} <${above ?? inspect(prototype, { ...printer.settings(), customInspect: false, depth: -1 })}>`;
}

/// `Symbol.toStringTag` where it is not among the properties that are shown.
function tagOf(value, showHidden) {
  const tag = value[Symbol.toStringTag];
  if (typeof tag !== 'string' || tag === '') return '';
  const isShown = showHidden ? hasOwn : isEnumerable;
  return isShown(value, Symbol.toStringTag) ? '' : tag;
}

const isIndex = (key) => /^(0|[1-9]\d{0,9})$/.test(key) && key < 2 ** 32 - 1;

function ownKeys(value, showHidden, withoutIndices) {
  let keys;
  try {
    keys = showHidden ? Object.getOwnPropertyNames(value) : Object.keys(value);
  } catch {
    // A module whose exports have no values yet.
    keys = Object.getOwnPropertyNames(value);
  }
  if (withoutIndices) keys = keys.filter((key) => !isIndex(key));
  const symbols = Object.getOwnPropertySymbols(value);
  if (symbols.length === 0) return keys;
  return keys.concat(showHidden ? symbols : symbols.filter((key) => isEnumerable(value, key)));
}

/// What the next three prototypes add, but methods, as far as they are a program's own.
function inheritedKeys(value, keys) {
  const seen = new Set([...Reflect.ownKeys(value), ...keys, 'constructor']);
  const added = [];
  let holder = Object.getPrototypeOf(value);
  for (let i = 0; i < 3 && holder !== null && !isBuiltin(holder); i++) {
    for (const key of Reflect.ownKeys(holder)) {
      if (seen.has(key) || typeof Object.getOwnPropertyDescriptor(holder, key).value === 'function') continue;
      seen.add(key);
      added.push(key);
    }
    holder = Object.getPrototypeOf(holder);
  }
  return holder === null ? [] : added;
}

/// An own property, otherwise an inherited one.
function descriptorOf(value, key) {
  const own = Object.getOwnPropertyDescriptor(value, key);
  if (own !== undefined) return own;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null ? { value: undefined, enumerable: true } : descriptorOf(prototype, key);
}

const getter = (prototype, name) => {
  const { get } = Object.getOwnPropertyDescriptor(prototype, name);
  return (value) => get.call(value);
};
const typedLength = getter(Object.getPrototypeOf(Uint8Array.prototype), 'length');
const setSize = getter(Set.prototype, 'size');
const mapSize = getter(Map.prototype, 'size');

function kindOf(value) {
  if (typeof value === 'function') return 'Function';
  const kind = native.classOf(value);
  if (kind !== 'Object') return kind;
  if (value instanceof Error) return 'Error';
  return native.moduleViews.has(value) ? 'Module' : kind;
}

/// What is known of an object that is to be shown.
class Subject {
  constructor(printer, value, level, isPart) {
    this.printer = printer;
    this.value = value;
    this.isPart = isPart;
    this.kind = kindOf(value);
    this.maker = makerOf(value, printer, level);
    this.tag = tagOf(value, printer.showHidden);
    this.keys = ownKeys(value, printer.showHidden, INDEXED.has(this.kind));
    if (printer.showHidden && this.maker !== null && !printer.isTooDeep(level))
      this.keys.push(...inheritedKeys(value, this.keys));
  }

  /// What made it and its tag; `fallback` stands for what made it if there is no prototype.
  title(fallback, size = '') {
    const { maker, tag } = this;
    const name = maker === null ? `[${fallback}${size}: null prototype]` : `${maker}${size}`;
    return tag === '' || tag === (maker ?? fallback) ? name : `${name} [${tag}]`;
  }

  /// What stands for it where it is too deep.
  stub() {
    const title = this.title(this.kind);
    return this.maker === null ? title : `[${title}]`;
  }

  shape() {
    return (SHAPES[this.kind] ?? SHAPES.Object)(this);
  }
}

/// How each kind of objects is shown, by the names that the engine has for kinds. A shape has
///   base    what stands before the braces
///   open    the brace that opens, with what is before it; `close` is '}' if it is not given
///   items   a function for the parts that are no properties
///   lead    inherited properties that are shown first
///   alone   what is shown if there are no properties
///   deep    what is shown where it is too deep
///   isList  whether short parts may stand in columns
const SHAPES = {
  __proto__: null,
  Object: (subject) => emptyable(subject.maker === 'Object' && subject.tag === '' ? '' : subject.title('Object')),
  Array(subject) {
    const { length } = subject.value;
    const isUsual = subject.maker === 'Array' && subject.tag === '';
    const open = isUsual ? '[' : `${subject.title('Array', `(${length})`)} [`;
    return { open, close: ']', items: arrayItems, isList: true, alone: length === 0 ? `${open}]` : undefined };
  },
  Set: (subject) => collection(subject, setSize(subject.value), setItems),
  Map: (subject) => collection(subject, mapSize(subject.value), mapItems),
  Arguments: () => emptyable('[Arguments]'),
  Function: (subject) => styled(subject, functionText(subject), 'special'),
  RegExp(subject) {
    const regexp = subject.maker === null ? new RegExp(subject.value) : subject.value;
    const shape = styled(subject, titled(subject, RegExp.prototype.toString.call(regexp)), 'regexp');
    return { ...shape, deep: shape.alone };
  },
  Date(subject) {
    const isValid = !Number.isNaN(Date.prototype.getTime.call(subject.value));
    const text = isValid ? Date.prototype.toISOString.call(subject.value) : 'Invalid Date';
    return styled(subject, titled(subject, text), 'date');
  },
  Error(subject) {
    const base = errorText(subject);
    return { base, open: '{', alone: base };
  },
  ArrayBuffer(subject) {
    const open = `${subject.title(subject.kind)} {`;
    const size = subject.printer.paint(`${subject.value.byteLength}`, 'number');
    const alone = subject.isPart ? `${open} byteLength: ${size} }` : undefined;
    return { open, lead: ['byteLength'], items: bufferItems, alone };
  },
  DataView: (subject) => ({ open: `${subject.title('DataView')} {`, lead: ['byteLength', 'byteOffset', 'buffer'] }),
  Promise: (subject) => ({ open: `${subject.title('Promise')} {`, items: promiseItems }),
  WeakSet(subject) {
    const hidden = (printer) => [printer.paint('<items unknown>', 'special')];
    return { open: `${subject.title(subject.kind)} {`, items: subject.printer.showHidden ? heldItems : hidden };
  },
  WeakRef: (subject) => emptyable(subject.title('WeakRef')),
  Generator: ({ maker, kind }) => emptyable(`${maker ?? 'Object'} [${kind}]`),
  Module: () => ({ open: '[Module: null prototype] {', isNamespace: true }),
  'Map Iterator'({ kind, value }) {
    const [arePairs] = native.itemsOf(value);
    return { open: `[${arePairs ? kind.replace('Iterator', 'Entries') : kind}] {`, items: heldItems };
  },
  String: boxed,
  Uint8Array(subject) {
    const size = typedLength(subject.value);
    const open = `${subject.title(subject.kind, `(${size})`)} [`;
    const isEmpty = size === 0 && !subject.printer.showHidden;
    return { open, close: ']', items: typedItems, isList: true, alone: isEmpty ? `${open}]` : undefined };
  },
};
const TYPED = [
  ...['Uint8Array', 'Int8Array', 'Uint8ClampedArray', 'Uint16Array', 'Int16Array', 'Uint32Array', 'Int32Array'],
  ...['Float16Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array'],
];
for (const [kind, ...others] of [
  ['Arguments', 'Mapped Arguments'],
  ['ArrayBuffer', 'SharedArrayBuffer'],
  ['WeakSet', 'WeakMap'],
  ['Generator', 'AsyncGenerator'],
  ['Map Iterator', 'Set Iterator'],
  ['String', 'Number', 'Boolean', 'BigInt', 'Symbol'],
  TYPED,
]) for (const other of others) SHAPES[other] = SHAPES[kind];

/// What has elements, or characters, that are no properties.
const INDEXED = new Set(['Array', 'String', ...TYPED]);

function emptyable(title) {
  const open = title === '' ? '{' : `${title} {`;
  return { open, alone: `${open}}` };
}

function collection(subject, size, items) {
  const shape = emptyable(subject.title(subject.kind, `(${size})`));
  return size === 0 ? shape : { open: shape.open, items };
}

const styled = (subject, base, style) => ({ base, open: '{', alone: subject.printer.paint(base, style) });

function titled(subject, text) {
  const title = subject.title(subject.kind);
  return title === subject.kind ? text : `${title} ${text}`;
}

function boxed(subject) {
  const { kind, maker, tag, printer, value } = subject;
  const name = kind === maker ? kind : `${kind} (${maker ?? 'null prototype'})`;
  const inner = printer.primitive(globalThis[kind].prototype.valueOf.call(value), plain);
  return styled(subject, `[${name}: ${inner}]${tag === '' || tag === maker ? '' : ` [${tag}]`}`, kind.toLowerCase());
}

function functionText({ value, maker, tag }) {
  const mark = tag === '' || tag === maker ? '' : ` [${tag}]`;
  const source = Function.prototype.toString.call(value);
  if (source.startsWith('class') && source.endsWith('}')) return `[${classText(value, maker, mark)}]`;
  const kind = native.classOf(value).endsWith('Function') ? native.classOf(value) : 'Function';
  const name = value.name === '' ? ' (anonymous)' : `: ${String(value.name)}`;
  const other = maker === kind || maker === null ? '' : ` ${maker}`;
  return `[${kind}${maker === null ? ' (null prototype)' : ''}${name}]${other}${mark}`;
}

function classText(value, maker, mark) {
  const name = (hasOwn(value, 'name') && value.name) || '(anonymous)';
  if (maker === null) return `class ${name}${mark} extends [null prototype]`;
  const parent = Object.getPrototypeOf(value)?.name;
  return `class ${name}${maker === 'Function' ? '' : ` [${maker}]`}${mark}${parent ? ` extends ${parent}` : ''}`;
}

/// An exception: its stack, with a name that fits. What this says is left out of the properties.
function errorText(subject) {
  const { printer, value: error, keys } = subject;
  const text = error.stack ? String(error.stack) : Error.prototype.toString.call(error);
  if (!printer.showHidden) {
    const isSaid = (key) =>
      ['name', 'message', 'stack'].includes(key) && typeof error[key] === 'string' && text.includes(error[key]);
    subject.keys = keys.filter((key) => !isSaid(key));
  }
  for (const key of ['cause', 'errors']) {
    const counts = key === 'cause' || Array.isArray(error[key]);
    if (counts && hasOwn(error, key) && !keys.includes(key)) subject.keys.push(key);
  }
  const stack = withFittingName(subject, text);
  const at = error.message ? stack.indexOf(error.message) : -1;
  const frames = stack.indexOf('\n    at', at < 0 ? 0 : at + error.message.length);
  if (frames < 0) return printer.indented(`[${stack}]`);
  return printer.indented(printer.colors ? coloredFrames(printer, stack, frames) : stack);
}

/// A stack whose first word tells what made the exception, too.
function withFittingName(subject, stack) {
  const { value: error, maker, tag } = subject;
  const name = String(error.name ?? 'Error');
  const begins = name.endsWith('Error') && stack.startsWith(name) && /^(:|\n|$)/.test(stack.slice(name.length));
  if (maker === null) {
    const [word] = /^[A-Z][\w ()[\]-]+(?=:|\n\s+at)|^[\w-]*Error$/.exec(stack) ?? [''];
    const title = subject.title(word || 'Error');
    const between = title.includes(name) ? (word ? '' : ': ') : ` [${name}]`;
    return title + between + stack.slice(word.length);
  }
  if (!begins || (tag === '' || tag === maker ? name === maker : name.includes(tag))) return stack;
  const title = subject.title('Error');
  return `${title}${title.includes(name) ? '' : ` [${name}]`}${stack.slice(name.length)}`;
}

/// Lines of built-in modules are dim, names of packages underlined.
function coloredFrames(printer, stack, start) {
  const lines = stack.slice(start).split('\n').map((line) => {
    const [, id] = /^ +at (?:.*\()?(node:[^:]+)/.exec(line) ?? [];
    if (id && require('internal/builtins').builtin(id) !== undefined) return printer.paint(line, 'undefined');
    return line.replace(/(?<=\/node_modules\/)[^/]+(?=\/)/, (name) => printer.paint(name, 'module'));
  });
  return stack.slice(0, start) + lines.join('\n');
}

// Parts of objects that are no properties.

/// The first of many items, and how many there are more.
function limited(printer, size, itemAt) {
  const shown = Math.min(Math.max(0, printer.maxArrayLength), size);
  const parts = [];
  printer.indentation += 2;
  for (let i = 0; i < shown; i++) parts.push(itemAt(i));
  printer.indentation -= 2;
  if (size > shown) parts.push(more(size - shown));
  return parts;
}

function arrayItems(printer, array, level) {
  const { length } = array;
  const most = Math.min(Math.max(0, printer.maxArrayLength), length);
  const parts = [];
  let at = 0;
  while (at < length && parts.length < most) {
    if (hasOwn(array, at)) {
      parts.push(printer.slot(descriptorOf(array, String(at)), array, level, 2));
      at++;
    } else {
      const end = endOfHole(array, at);
      parts.push(printer.paint(`<${counted(end - at, 'empty item')}>`, 'undefined'));
      at = end;
    }
  }
  if (at < length) parts.push(more(length - at));
  return parts;
}

function endOfHole(array, at) {
  const { length } = array;
  // In a big array most elements may be missing.
  if (length - at > 1000) return Number(Object.keys(array).find((key) => key > at && isIndex(key)) ?? length);
  while (at < length && !hasOwn(array, at)) at++;
  return at;
}

function typedItems(printer, array, level) {
  const [textOf, style] = typeof array[0] === 'bigint' ? [bigintText, 'bigint'] : [numberText, 'number'];
  const itemAt = (i) => printer.paint(textOf(array[i], printer.numericSeparator), style);
  const parts = limited(printer, typedLength(array), itemAt);
  if (!printer.showHidden) return parts;
  printer.indentation += 2;
  for (const key of ['BYTES_PER_ELEMENT', 'length', 'byteLength', 'byteOffset', 'buffer'])
    parts.push(`[${key}]: ${printer.show(array[key], level, true)}`);
  printer.indentation -= 2;
  return parts;
}

function setItems(printer, set, level) {
  const values = Set.prototype.values.call(set);
  return limited(printer, setSize(set), () => printer.show(values.next().value, level));
}

function mapItems(printer, map, level) {
  const entries = Map.prototype.entries.call(map);
  return limited(printer, mapSize(map), () => {
    const [key, value] = entries.next().value;
    return `${printer.show(key, level)} => ${printer.show(value, level)}`;
  });
}

/// What an iterator still has, or a weak collection holds.
function heldItems(printer, value, level) {
  const [arePairs, ...held] = native.itemsOf(value);
  const text = (i) => printer.show(held[i], level);
  if (!arePairs) return limited(printer, held.length, text);
  const [before, between, after] = native.classOf(value) === 'WeakMap' ? ['', ' => ', ''] : ['[ ', ', ', ' ]'];
  return limited(printer, held.length / 2, (i) => before + text(2 * i) + between + text(2 * i + 1) + after);
}

function bufferItems(printer, buffer) {
  let bytes;
  try {
    bytes = new Uint8Array(buffer);
  } catch {
    return [printer.paint('(detached)', 'special')];
  }
  const shown = bytes.subarray(0, Math.max(0, printer.maxArrayLength));
  const words = Array.from(shown, (byte) => byte.toString(16).padStart(2, '0'));
  if (shown.length < bytes.length) words.push(more(bytes.length - shown.length, 'more byte'));
  return [`${printer.paint('[Uint8Contents]', 'special')}: <${words.join(' ')}>`];
}

function promiseItems(printer, promise, level) {
  const [state, result] = native.promiseParts(promise);
  if (state === 0) return [printer.paint('<pending>', 'special')];
  printer.indentation += 2;
  const text = printer.show(result, level);
  printer.indentation -= 2;
  return [state === 2 ? `${printer.paint('<rejected>', 'special')} ${text}` : text];
}

/// One call of `inspect`: its options, and how far it is. Options that are not given are those of `DEFAULTS`.
class Printer {
  stylize = plain;
  indentation = 0;
  /// The objects around what is being shown.
  path = [];
  /// The level of the object that was begun last.
  reached = 0;
  /// The numbers of objects that are in themselves.
  numbers = undefined;

  constructor(options, depth, colors) {
    if (depth !== undefined) this.depth = depth;
    if (colors !== undefined) this.colors = colors;
    if (typeof options === 'boolean') this.showHidden = options;
    else if (isObject(options)) {
      this.given = options;
      for (const key of Object.keys(options)) if (key in DEFAULTS || key === 'stylize') this[key] = options[key];
    }
    if (this.colors) this.stylize = colored;
    this.maxArrayLength ??= Infinity;
    this.maxStringLength ??= Infinity;
  }

  paint(text, style) {
    return this.stylize === plain ? text : this.stylize(text, style);
  }

  isTooDeep(level) {
    return this.depth !== null && level > this.depth;
  }

  settings() {
    const out = { stylize: this.stylize };
    for (const key of Object.keys(DEFAULTS)) out[key] = this[key];
    return out;
  }

  margin(more = 0) {
    return `\n${' '.repeat(this.indentation + more)}`;
  }

  indented(text) {
    return this.indentation === 0 ? text : text.replaceAll('\n', this.margin());
  }

  show(value, level, isPart) {
    if (!isObject(value)) return this.primitive(value);
    const target = unproxied(value);
    if (target === null) return this.paint('<Revoked Proxy>', 'special');
    if (target !== value && this.showProxy) return this.proxy(value, level);
    const text = this.customInspect ? this.ownText(value, target, level) : undefined;
    if (text !== undefined) return text;
    if (!this.path.includes(target)) return this.object(target, level, isPart);
    this.numbers ??= new Map();
    if (!this.numbers.has(target)) this.numbers.set(target, this.numbers.size + 1);
    return this.paint(`[Circular *${this.numbers.get(target)}]`, 'special');
  }

  primitive(value, paint = this.stylize) {
    if (value === null) return paint('null', 'null');
    const type = typeof value;
    switch (type) {
      case 'string': return this.string(value, paint);
      case 'number': return paint(numberText(value, this.numericSeparator), type);
      case 'bigint': return paint(bigintText(value, this.numericSeparator), type);
      default: return paint(String(value), type);
    }
  }

  /// Long strings have each of their lines on a line of its own.
  string(value, paint) {
    const hidden = value.length - this.maxStringLength;
    const text = hidden > 0 ? value.slice(0, this.maxStringLength) : value;
    const rest = hidden > 0 ? more(hidden, 'more character') : '';
    const fits = text.length <= Math.max(16, this.breakLength - this.indentation - 4);
    if (fits || this.compact === true) return paint(quoted(text), 'string') + rest;
    const lines = text.split(/(?<=\n)/).map((line) => paint(quoted(line), 'string'));
    return lines.join(` +${this.margin(2)}`) + rest;
  }

  proxy(value, level) {
    if (this.isTooDeep(level)) return this.paint('Proxy [Array]', 'special');
    this.indentation += 2;
    const parts = native.proxyParts(value).map((part) => this.show(part, level + 1));
    this.indentation -= 2;
    return this.joined(parts, { open: 'Proxy [', close: ']' }, level + 1);
  }

  /// What an object's own function for this says; undefined if it has none or that leaves it to us.
  ownText(value, target, level) {
    const own = target[custom];
    if (typeof own !== 'function' || own === inspect || target.constructor?.prototype === target) return undefined;
    const left = this.depth === null ? null : this.depth - level;
    const options = { ...this.settings(), ...this.given, stylize: this.stylize };
    const answer = own.call(value, left, options, inspect);
    if (answer === value) return undefined;
    return typeof answer === 'string' ? this.indented(answer) : this.show(answer, level);
  }

  object(value, level, isPart) {
    const subject = new Subject(this, value, level, isPart);
    const shape = subject.shape();
    if (subject.keys.length === 0 && shape.alone !== undefined) return shape.alone;
    if (this.isTooDeep(level)) return shape.deep ?? this.paint(subject.stub(), 'special');
    const { indentation } = this;
    this.path.push(value);
    this.reached = level + 1;
    try {
      const parts = this.parts(subject, shape, level + 1);
      return this.joined(parts, this.numbered(shape, value), level + 1, value);
    } catch (error) {
      if (!(error instanceof RangeError && /call stack/.test(error.message))) throw error;
      this.indentation = indentation;
      const what = `${subject.title('Object')}: Inspection interrupted prematurely. Maximum call stack size exceeded.`;
      return this.paint(`[${what}]`, 'special');
    } finally {
      this.path.pop();
    }
  }

  parts({ value, keys }, shape, level) {
    const parts = shape.items === undefined ? [] : shape.items(this, value, level);
    // Properties stand further right in the old form, which has braces and first properties on the same line.
    const by = this.compact === true && !shape.isList ? 3 : 2;
    for (const key of shape.lead ?? [])
      parts.push(this.member(key, { value: value[key], enumerable: true }, value, level, by));
    const firstOwn = parts.length;
    for (const key of keys) {
      if (shape.isNamespace) parts.push(...this.exported(key, value, level, by));
      else parts.push(this.member(key, descriptorOf(value, key), value, level, by));
    }
    if (!this.sorted) return parts;
    const order = this.sorted === true ? undefined : this.sorted;
    if (!shape.isList) return parts.sort(order);
    return [...parts.slice(0, firstOwn), ...parts.slice(firstOwn).sort(order)];
  }

  member(key, own, value, level, by) {
    const text = this.slot(own, value, level, by);
    const isBroken = by === 3 && visibleWidth(text) > this.breakLength;
    return `${this.key(key, own.enumerable)}:${isBroken ? this.margin(by) : ' '}${text}`;
  }

  /// A module's export, which may not have a value yet.
  exported(key, value, level, by) {
    if (key === Symbol.toStringTag) return [];
    try {
      return [this.member(key, { value: value[key], enumerable: true }, value, level, by)];
    } catch {
      return [`${this.key(key, true)}: ${this.paint('<uninitialized>', 'special')}`];
    }
  }

  key(key, isShown) {
    if (typeof key === 'symbol') return `[${this.paint(escaped(key.toString()), 'symbol')}]`;
    if (key === '__proto__') return "['__proto__']";
    if (!isShown) return `[${escaped(key)}]`;
    return /^[A-Za-z_]\w*$/.test(key) ? this.paint(key, 'name') : this.paint(quoted(key), 'string');
  }

  slot(own, value, level, by) {
    if (own.get !== undefined || own.set !== undefined) return this.accessor(own, value, level);
    this.indentation += by;
    const text = this.show(own.value, level);
    this.indentation -= by;
    return text;
  }

  accessor({ get, set }, value, level) {
    const special = (text) => this.paint(text, 'special');
    if (get === undefined) return special('[Setter]');
    const label = set === undefined ? 'Getter' : 'Getter/Setter';
    if (this.getters !== true && this.getters !== (set === undefined ? 'get' : 'set')) return special(`[${label}]`);
    const { indentation } = this;
    const around = (text) => `${special(`[${label}:`)} ${text}${special(']')}`;
    try {
      const got = get.call(value);
      this.indentation += 2;
      return isObject(got) ? `${special(`[${label}]`)} ${this.show(got, level)}` : around(this.primitive(got));
    } catch (error) {
      return around(`<Inspection threw (${error.message})>`);
    } finally {
      this.indentation = indentation;
    }
  }

  /// The shape of an object that is in itself, with its number.
  numbered(shape, value) {
    if (!this.numbers?.has(value)) return shape;
    const mark = this.paint(`<ref *${this.numbers.get(value)}>`, 'special');
    if (this.compact === true) return { ...shape, open: `${mark} ${shape.open}` };
    return { ...shape, base: shape.base ? `${mark} ${shape.base}` : mark };
  }

  /// Puts parts together, on one line where they fit.
  joined(parts, shape, level, value) {
    if (this.compact === true) return this.joinedTightly(parts, shape);
    const { base = '', open, close = '}', isList } = shape;
    const begin = base === '' ? open : `${base} ${open}`;
    let rows = parts;
    if (typeof this.compact === 'number' && this.compact >= 1) {
      if (isList && parts.length > 6) rows = this.inColumns(parts, value);
      const levels = this.reached - level;
      if (levels < this.compact && rows === parts) {
        const around = parts.length + this.indentation + open.length + base.length + 10;
        const line = this.fits(parts, around, base) ? parts.join(', ') : '\n';
        if (!line.includes('\n')) return `${begin} ${line} ${close}`;
      }
    }
    return `${begin}${this.margin(2)}${rows.join(`,${this.margin(2)}`)}${this.margin()}${close}`;
  }

  /// The old form: the first part on the line of the brace.
  joinedTightly(parts, { base = '', open, close = '}' }) {
    const begin = base === '' ? open : `${open} ${base}`;
    if (this.fits(parts, 0, base)) return `${begin} ${parts.join(', ')} ${close}`;
    const first = begin.length === 1 ? ' ' : this.margin(2);
    return `${begin}${first}${parts.join(`,${this.margin(2)}`)} ${close}`;
  }

  fits(parts, around, base) {
    let width = parts.length + around;
    for (const part of parts) width += this.colors ? uncolored(part).length : part.length;
    return width <= this.breakLength && !base.includes('\n');
  }

  /// Arranges many short entries of an array in columns, numbers to the right; `parts` itself if they do not fit.
  inColumns(parts, value) {
    const hasRest = this.maxArrayLength < parts.length;
    const cells = hasRest ? parts.slice(0, -1) : parts;
    const widths = cells.map((cell) => visibleWidth(this.colors ? uncolored(cell) : cell));
    const columns = this.columnsFor(widths, parts.length);
    if (columns <= 1) return parts;
    const widest = Array(columns).fill(0);
    for (let i = 0; i < widths.length; i++) widest[i % columns] = Math.max(widest[i % columns], widths[i]);
    const areNumbers = parts.every((_, i) => typeof value[i] === 'number' || typeof value[i] === 'bigint');
    const rows = [];
    for (let first = 0; first < cells.length; first += columns) {
      const row = cells.slice(first, first + columns).map((cell, i, { length }) => {
        const pad = ' '.repeat(widest[i] - widths[first + i]);
        const comma = i < length - 1 ? ', ' : '';
        if (areNumbers) return pad + cell + comma;
        return comma ? cell + comma + pad : cell;
      });
      rows.push(row.join(''));
    }
    return hasRest ? [...rows, parts.at(-1)] : rows;
  }

  /// In how many columns entries look best: wider than high, as characters are higher than wide.
  columnsFor(widths, count) {
    const widest = Math.max(...widths) + 2;
    const total = widths.reduce((sum, width) => sum + width + 2, 0);
    const isNarrow = widest * 3 + this.indentation < this.breakLength;
    if (!isNarrow || (total / widest <= 5 && widest > 8)) return 1;
    // Where widths differ much, most entries are less wide than the widest.
    const usual = Math.max(widest - 3 - Math.sqrt(widest - total / count), 1);
    const square = Math.round(Math.sqrt((2.5 * widths.length) / usual));
    const room = Math.floor((this.breakLength - this.indentation) / widest);
    return Math.min(square, room, this.compact * 4, 15);
  }
}

Object.setPrototypeOf(Printer.prototype, DEFAULTS);

// Formats.

/// Whether a program, and not the language, says how an object becomes text.
function hasOwnText(value) {
  return ['toString', Symbol.toPrimitive].some((key) => {
    if (typeof value[key] !== 'function') return false;
    let holder = value;
    while (holder !== null && !hasOwn(holder, key)) holder = Object.getPrototypeOf(holder);
    return holder === value || (holder !== null && !isBuiltin(holder));
  });
}

function asString(value, options) {
  if (typeof value === 'number') return numberText(value, options.numericSeparator);
  if (typeof value === 'bigint') return bigintText(value, options.numericSeparator);
  if (typeof value !== 'object' || value === null || hasOwnText(value)) return String(value);
  return inspect(value, { ...options, depth: 0, colors: false, compact: 3 });
}

function asJson(value) {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (/circular/.test(error.message)) return '[Circular]';
    throw error;
  }
}

const asNumber = (convert) => (value, { numericSeparator }) => {
  if (typeof value === 'symbol') return 'NaN';
  const isBig = typeof value === 'bigint' && convert !== Number.parseFloat;
  return isBig ? bigintText(value, numericSeparator) : numberText(convert(value), numericSeparator);
};

const FORMATS = {
  __proto__: null,
  s: asString,
  d: asNumber(Number),
  i: asNumber(Number.parseInt),
  f: asNumber(Number.parseFloat),
  j: asJson,
  o: (value, options) => inspect(value, { ...options, showHidden: true, showProxy: true, depth: 4 }),
  O: inspect,
  c: () => '',
};

/// Puts the first of `words` into a format and takes them away.
function filled(text, words, options) {
  let out = '';
  let done = 0;
  for (let at = text.indexOf('%'); at >= 0; at = text.indexOf('%', at + 2)) {
    const mark = text[at + 1];
    const isFormat = words.length > 0 && FORMATS[mark] !== undefined;
    if (mark !== '%' && !isFormat) continue;
    out += text.slice(done, at) + (isFormat ? FORMATS[mark](words.shift(), options) : '%');
    done = at + 2;
  }
  return out + text.slice(done);
}

function formatWithOptions(options, ...words) {
  if (typeof words[0] === 'string' && words.length > 1) words.unshift(filled(words.shift(), words, options));
  return words.map((word) => (typeof word === 'string' ? word : inspect(word, options))).join(' ');
}

const format = (...words) => formatWithOptions({}, ...words);

module.exports = { inspect, format, formatWithOptions, custom, visibleWidth };
