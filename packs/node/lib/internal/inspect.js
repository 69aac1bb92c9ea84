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

const COLORS = {
  __proto__: null,
  reset: [0, 0],
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  blink: [5, 25],
  inverse: [7, 27],
  hidden: [8, 28],
  strikethrough: [9, 29],
  doubleunderline: [21, 24],
  black: [30, 39],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
  white: [37, 39],
  bgBlack: [40, 49],
  bgRed: [41, 49],
  bgGreen: [42, 49],
  bgYellow: [43, 49],
  bgBlue: [44, 49],
  bgMagenta: [45, 49],
  bgCyan: [46, 49],
  bgWhite: [47, 49],
  framed: [51, 54],
  overlined: [53, 55],
  gray: [90, 39],
  redBright: [91, 39],
  greenBright: [92, 39],
  yellowBright: [93, 39],
  blueBright: [94, 39],
  magentaBright: [95, 39],
  cyanBright: [96, 39],
  whiteBright: [97, 39],
  bgGray: [100, 49],
  bgRedBright: [101, 49],
  bgGreenBright: [102, 49],
  bgYellowBright: [103, 49],
  bgBlueBright: [104, 49],
  bgMagentaBright: [105, 49],
  bgCyanBright: [106, 49],
  bgWhiteBright: [107, 49],
};
/// Other names, which are not listed.
const ALIASES = {
  grey: 'gray',
  blackBright: 'gray',
  bgGrey: 'bgGray',
  bgBlackBright: 'bgGray',
  faint: 'dim',
  crossedout: 'strikethrough',
  strikeThrough: 'strikethrough',
  crossedOut: 'strikethrough',
  conceal: 'hidden',
  swapColors: 'inverse',
  swapcolors: 'inverse',
  doubleUnderline: 'doubleunderline',
};
for (const [alias, name] of Object.entries(ALIASES)) {
  Object.defineProperty(COLORS, alias, {
    get: () => COLORS[name],
    set(value) { COLORS[name] = value; },
    configurable: true,
    enumerable: false,
  });
}

const STYLES = {
  __proto__: null,
  special: 'cyan',
  number: 'yellow',
  bigint: 'yellow',
  boolean: 'yellow',
  undefined: 'grey',
  null: 'bold',
  string: 'green',
  symbol: 'green',
  date: 'magenta',
  regexp: 'red',
  module: 'underline',
};

function inspect(value, options, ...old) {
  const context = {
    ...DEFAULTS,
    budget: {},
    indentation: 0,
    seen: [],
    level: 0,
    circular: undefined,
    userOptions: undefined,
    stylize: plain,
  };
  if (typeof options === 'boolean') {
    context.showHidden = options;
    if (old[0] !== undefined) context.depth = old[0];
    if (old[1] !== undefined) context.colors = old[1];
  } else if (options) {
    for (const key of Object.keys(options)) {
      if (key in DEFAULTS || key === 'stylize') context[key] = options[key];
      else if (context.userOptions === undefined) context.userOptions = options;
    }
    context.userOptions = options;
  }
  if (context.colors) context.stylize = colored;
  if (context.maxArrayLength === null) context.maxArrayLength = Infinity;
  if (context.maxStringLength === null) context.maxStringLength = Infinity;
  return show(context, value, 0);
}
inspect.custom = custom;
inspect.colors = COLORS;
inspect.styles = STYLES;
Object.defineProperty(inspect, 'defaultOptions', {
  get: () => DEFAULTS,
  set(options) { Object.assign(DEFAULTS, options); },
});

function plain(text) { return text; }

function colored(text, style) {
  const codes = COLORS[STYLES[style]];
  return codes === undefined ? text : `\x1b[${codes[0]}m${text}\x1b[${codes[1]}m`;
}

const ESCAPES = { '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r', '\\': '\\\\' };

/// A string in quotes: single ones, unless others need no escapes.
function quoted(text, only) {
  let quote = "'";
  if (!only && text.includes("'")) {
    if (!text.includes('"')) quote = '"';
    else if (!text.includes('`') && !text.includes('${')) quote = '`';
  }
  // eslint-disable-next-line no-control-regex
  if (!/[\x00-\x1f\x27\x5c\x7f-\x9f\ud800-\udfff]/.test(text)) return quote + text + quote;
  let out = '';
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    const code = text.charCodeAt(i);
    if (ESCAPES[char]) out += ESCAPES[char];
    else if (char === quote) out += `\\${char}`;
    else if (code < 32 || (code >= 127 && code < 160)) out += `\\x${code.toString(16).toUpperCase().padStart(2, '0')}`;
    else if (code >= 0xd800 && code <= 0xdfff) {
      const next = text.charCodeAt(i + 1);
      if (code < 0xdc00 && next >= 0xdc00 && next <= 0xdfff) {
        out += char + text[++i];
      } else out += `\\u${code.toString(16)}`;
    } else out += char;
  }
  return quote + out + quote;
}

function numberText(stylize, value, separator) {
  if (Object.is(value, -0)) return stylize('-0', 'number');
  let text = `${value}`;
  if (separator) {
    const [whole, fraction] = text.split('.');
    const left = whole.replace(/\B(?=(\d{3})+$)/g, '_');
    text = fraction === undefined ? left : `${left}.${fraction.replace(/(\d{3})(?=\d)/g, '$1_')}`;
  }
  return stylize(text, 'number');
}

function primitive(context, value) {
  const { stylize } = context;
  switch (typeof value) {
    case 'string': {
      let rest = '';
      if (value.length > context.maxStringLength) {
        const more = value.length - context.maxStringLength;
        value = value.slice(0, context.maxStringLength);
        rest = `... ${more} more character${more > 1 ? 's' : ''}`;
      }
      if (
        context.compact !== true &&
        value.length > 16 &&
        value.length > context.breakLength - context.indentation - 4
      ) {
        const lines = value.split(/(?<=\n)/);
        return (
          lines.map((line) => stylize(quoted(line), 'string')).join(` +\n${' '.repeat(context.indentation + 2)}`) + rest
        );
      }
      return stylize(quoted(value), 'string') + rest;
    }
    case 'number':
      return numberText(stylize, value, context.numericSeparator);
    case 'bigint':
      return stylize(`${context.numericSeparator ? String(value).replace(/\B(?=(\d{3})+$)/g, '_') : value}n`, 'bigint');
    case 'boolean':
      return stylize(`${value}`, 'boolean');
    case 'undefined':
      return stylize('undefined', 'undefined');
    default:
      return stylize(Symbol.prototype.toString.call(value), 'symbol');
  }
}

function show(context, value, level, typed) {
  if (value === null) return context.stylize('null', 'null');
  if (typeof value !== 'object' && typeof value !== 'function') return primitive(context, value);
  const original = value;
  const proxy = native.proxyParts(value);
  if (proxy !== undefined) {
    if (context.showProxy) return showProxy(context, proxy, level);
    while (native.proxyParts(value) !== undefined) [value] = native.proxyParts(value);
    if (value === null) return context.stylize('<Revoked Proxy>', 'special');
  }
  if (context.customInspect) {
    const own = value[custom];
    if (typeof own === 'function' && own !== inspect && !(value.constructor && value.constructor.prototype === value)) {
      const depth = context.depth === null ? null : context.depth - level;
      const options = { ...DEFAULTS, ...pick(context), ...context.userOptions, depth, stylize: context.stylize };
      if (context.colors) options.stylize = colored;
      const answer = own.call(original, depth, options, inspect);
      if (answer !== original) {
        if (typeof answer !== 'object' && typeof answer !== 'function')
          return String(answer).replaceAll('\n', `\n${' '.repeat(context.indentation)}`);
        return show(context, answer, level);
      }
    }
  }
  if (context.seen.includes(value)) {
    context.circular ??= new Map();
    let index = context.circular.get(value);
    if (index === undefined) context.circular.set(value, index = context.circular.size + 1);
    return context.stylize(`[Circular *${index}]`, 'special');
  }
  return raw(context, value, level, typed);
}

function pick(context) {
  const out = {};
  for (const key of Object.keys(DEFAULTS)) out[key] = context[key];
  return out;
}

function showProxy(context, [target, handler], level) {
  if (level > context.depth && context.depth !== null) return context.stylize('Proxy [Array]', 'special');
  level += 1;
  context.indentation += 2;
  const parts = [show(context, target, level), show(context, handler, level)];
  context.indentation -= 2;
  return assemble(context, parts, '', ['Proxy [', ']'], 'array', level);
}

/// The name of what made a value, null if nothing is known; and in which prototype it was found.
function constructorName(value, context, level, protoProps) {
  let first;
  const start = value;
  while (value || isUndetectable(value)) {
    const own = Object.getOwnPropertyDescriptor(value, 'constructor');
    if (own !== undefined && typeof own.value === 'function' && own.value.name !== '' && isInstance(start, own.value)) {
      return String(own.value.name);
    }
    value = Object.getPrototypeOf(value);
    first ??= value;
  }
  if (first === null || first === undefined) return null;
  const inner = internalName(start);
  if (level > context.depth && context.depth !== null) return `${inner} <Complex prototype>`;
  const proto = constructorName(first, context, level + 1, protoProps);
  if (proto === null) return `${inner} <${inspect(first, { ...pick(context), customInspect: false, depth: -1 })}>`;
  return `${inner} <${proto}>`;
}

function isUndetectable() { return false; }

function isInstance(value, constructor) {
  try {
    return value instanceof constructor;
  } catch {
    return false;
  }
}

function internalName(value) {
  const name = native.classOf(value);
  return name === 'Object' || name === undefined ? 'Object' : name;
}

function prefix(constructor, tag, fallback, size = '') {
  if (constructor === null) {
    if (tag !== '' && fallback !== tag) return `[${fallback}${size}: null prototype] [${tag}] `;
    return `[${fallback}${size}: null prototype] `;
  }
  if (tag !== '' && constructor !== tag) return `${constructor}${size} [${tag}] `;
  return `${constructor}${size} `;
}

function isIndex(key) {
  if (typeof key !== 'string' || key.length > 10) return false;
  const number = Number(key);
  return Number.isInteger(number) && number >= 0 && number < 2 ** 32 - 1 && String(number) === key;
}

/// The keys that are shown.
function keysOf(context, value, withoutIndices) {
  let keys;
  const symbols = Object.getOwnPropertySymbols(value);
  if (context.showHidden) {
    keys = Object.getOwnPropertyNames(value);
    if (withoutIndices) keys = keys.filter((key) => !isIndex(key));
    if (symbols.length) keys.push(...symbols);
  } else {
    try {
      keys = Object.keys(value);
    } catch {
      keys = Object.getOwnPropertyNames(value);
    }
    if (withoutIndices) keys = keys.filter((key) => !isIndex(key));
    if (symbols.length) keys.push(...symbols.filter((key) => Object.prototype.propertyIsEnumerable.call(value, key)));
  }
  return keys;
}

const TYPED = /^(Uint8|Int8|Uint16|Int16|Uint32|Int32|Float32|Float64|Uint8Clamped|BigInt64|BigUint64|Float16)Array$/;
const BOXED = { Number: 'number', String: 'string', Boolean: 'boolean', BigInt: 'bigint', Symbol: 'symbol' };

function raw(context, value, level, typed) {
  const kind = native.classOf(value);
  const constructor = constructorName(value, context, level);
  let tag = value[Symbol.toStringTag];
  if (
    typeof tag !== 'string' ||
    (tag !== '' &&
      (context.showHidden ? Object.prototype.hasOwnProperty : Object.prototype.propertyIsEnumerable).call(
        value,
        Symbol.toStringTag,
      ))
  )
    tag = '';
  let base = '';
  let braces = ['{', '}'];
  let type = 'object';
  let keys;
  let entries = () => [];
  const isFunction = typeof value === 'function';

  if (Array.isArray(value)) {
    keys = keysOf(context, value, true);
    braces = [
      constructor !== 'Array' || tag !== '' ? `${prefix(constructor, tag, 'Array', `(${value.length})`)}[` : '[',
      ']',
    ];
    if (value.length === 0 && keys.length === 0) return `${braces[0]}]`;
    type = 'array extras';
    entries = arrayEntries;
  } else if (kind === 'Set') {
    keys = keysOf(context, value);
    const size = setSize(value);
    if (size === 0 && keys.length === 0) return `${prefix(constructor, tag, 'Set', `(${size})`)}{}`;
    braces[0] = `${prefix(constructor, tag, 'Set', `(${size})`)}{`;
    entries = setEntries;
  } else if (kind === 'Map') {
    keys = keysOf(context, value);
    const size = mapSize(value);
    if (size === 0 && keys.length === 0) return `${prefix(constructor, tag, 'Map', `(${size})`)}{}`;
    braces[0] = `${prefix(constructor, tag, 'Map', `(${size})`)}{`;
    entries = mapEntries;
  } else if (TYPED.test(kind)) {
    keys = keysOf(context, value, true);
    const size = typedLength(value);
    braces = [`${prefix(constructor, tag, kind, `(${size})`)}[`, ']'];
    if (size === 0 && keys.length === 0 && !context.showHidden) return `${braces[0]}]`;
    type = 'array extras';
    entries = typedEntries;
  } else if (kind === 'Map Iterator' || kind === 'Set Iterator') {
    keys = keysOf(context, value);
    const [areEntries] = native.itemsOf(value);
    const name = areEntries ? `${kind.slice(0, 3)} Entries` : kind;
    braces = [`[${name}] {`, '}'];
    entries = itemEntries;
  } else {
    keys = keysOf(context, value);
    if (kind === 'Arguments' || kind === 'Mapped Arguments') {
      braces[0] = '[Arguments] {';
      if (keys.length === 0) return '[Arguments] {}';
    } else if (isFunction) {
      base = functionBase(value, constructor, tag);
      if (keys.length === 0) return context.stylize(base, 'special');
    } else if (kind === 'RegExp') {
      base = RegExp.prototype.toString.call(constructor !== null ? value : new RegExp(value));
      const before = prefix(constructor, tag, 'RegExp');
      if (before !== 'RegExp ') base = `${before}${base}`;
      if (keys.length === 0 || (level > context.depth && context.depth !== null))
        return context.stylize(base, 'regexp');
    } else if (kind === 'Date') {
      base = Number.isNaN(Date.prototype.getTime.call(value)) ? 'Invalid Date' : Date.prototype.toISOString.call(value);
      const before = prefix(constructor, tag, 'Date');
      if (before !== 'Date ') base = `${before}${base}`;
      if (keys.length === 0) return context.stylize(base, 'date');
    } else if (kind === 'Error' || isErrorLike(value)) {
      base = errorText(context, value, constructor, tag, keys);
      if (keys.length === 0) return base;
    } else if (kind === 'ArrayBuffer' || kind === 'SharedArrayBuffer') {
      const before = prefix(constructor, tag, kind);
      if (typed === undefined) {
        entries = bufferEntries;
      } else if (keys.length === 0) {
        return `${before}{ byteLength: ${numberText(context.stylize, value.byteLength, false)} }`;
      }
      entries = bufferEntries;
      braces[0] = `${before}{`;
      keys = ['byteLength', ...keys];
    } else if (kind === 'DataView') {
      braces[0] = `${prefix(constructor, tag, 'DataView')}{`;
      keys = ['byteLength', 'byteOffset', 'buffer', ...keys];
    } else if (kind === 'Promise') {
      braces[0] = `${prefix(constructor, tag, 'Promise')}{`;
      entries = promiseEntries;
    } else if (kind === 'WeakSet' || kind === 'WeakMap') {
      braces[0] = `${prefix(constructor, tag, kind)}{`;
      entries = context.showHidden ? itemEntries : (c) => [c.stylize('<items unknown>', 'special')];
    } else if (kind === 'WeakRef') {
      braces[0] = `${prefix(constructor, tag, 'WeakRef')}{`;
      if (keys.length === 0) return `${braces[0]}}`;
    } else if (BOXED[kind]) {
      base = boxedText(context, value, kind, constructor, tag, keys);
      if (kind === 'String') keys = keys.filter((key) => !isIndex(key));
      if (keys.length === 0) return base;
    } else if (kind === 'Module' || native.moduleViews.has(value)) {
      braces[0] = `[Module: null prototype] {`;
      return finish(
        context,
        value,
        level,
        keys,
        (c, v, l, k) => namespaceEntries(c, v, l, k),
        braces,
        '',
        'object',
        constructor,
        tag,
        true,
      );
    } else if (kind === 'Generator' || kind === 'AsyncGenerator') {
      braces[0] = `${prefix(constructor ?? 'Object', kind, kind)}{`;
      if (keys.length === 0) return `${braces[0]}}`;
    } else {
      if (constructor === 'Object' && tag === '') {
        if (keys.length === 0) return '{}';
      } else {
        const before = prefix(constructor, tag, 'Object');
        if (keys.length === 0) return `${before}{}`;
        braces[0] = `${before}{`;
      }
    }
  }
  if (level > context.depth && context.depth !== null) {
    const name = prefix(constructor, tag, Array.isArray(value) ? 'Array' : 'Object').slice(0, -1);
    return context.stylize(`[${constructor === null ? name : name}]`, 'special');
  }
  return finish(context, value, level, keys, entries, braces, base, type, constructor, tag, false);
}

function finish(context, value, level, keys, entries, braces, base, type, constructor, tag, isNamespace) {
  const nextLevel = level + 1;
  context.seen.push(value);
  context.level = nextLevel;
  let output;
  const indentation = context.indentation;
  try {
    output = entries(context, value, nextLevel, keys);
    if (!isNamespace) for (const key of keys) output.push(property(context, value, nextLevel, key, type));
  } catch (error) {
    if (error instanceof RangeError && /call stack/.test(error.message)) {
      context.seen.pop();
      context.indentation = indentation;
      return context.stylize(
        `[${prefix(constructor, tag, 'Object').slice(0, -1)}: Inspection interrupted prematurely. Maximum call stack size exceeded.]`,
        'special',
      );
    }
    throw error;
  }
  if (context.circular !== undefined) {
    const index = context.circular.get(value);
    if (index !== undefined) {
      const mark = context.stylize(`<ref *${index}>`, 'special');
      if (context.compact !== true) base = base === '' ? mark : `${mark} ${base}`;
      else braces[0] = `${mark} ${braces[0]}`;
    }
  }
  context.seen.pop();
  if (context.sorted) {
    const order = context.sorted === true ? undefined : context.sorted;
    if (type === 'object') output.sort(order);
    else if (keys.length > 1) output = [...output.slice(0, -keys.length), ...output.slice(-keys.length).sort(order)];
  }
  return assemble(context, output, base, braces, type, nextLevel, value);
}

/// Puts parts together, on one line where they fit.
function assemble(context, output, base, braces, type, level, value) {
  if (context.compact !== true) {
    if (typeof context.compact === 'number' && context.compact >= 1) {
      const entries = output.length;
      if (type === 'array extras' && entries > 6) output = inColumns(context, output, value);
      if (context.level - level < context.compact && entries === output.length) {
        const start = output.length + context.indentation + braces[0].length + base.length + 10;
        let total = output.length + start;
        if (total + output.length <= context.breakLength) {
          for (const part of output) total += (context.colors ? uncolored(part) : part).length;
          if (total <= context.breakLength && (base === '' || !base.includes('\n'))) {
            const joined = output.join(', ');
            if (!joined.includes('\n')) return `${base ? `${base} ` : ''}${braces[0]} ${joined} ${braces[1]}`;
          }
        }
      }
    }
    const line = `\n${' '.repeat(context.indentation)}`;
    return `${base ? `${base} ` : ''}${braces[0]}${line}  ${output.join(`,${line}  `)}${line}${braces[1]}`;
  }
  const line = `\n${' '.repeat(context.indentation)}`;
  const start = output.length + 0;
  let total = output.length + start;
  if (total + output.length <= context.breakLength) {
    for (const part of output) total += (context.colors ? uncolored(part) : part).length;
    if (total <= context.breakLength && (base === '' || !base.includes('\n'))) {
      return `${braces[0]}${base ? ` ${base}` : ''} ${output.join(', ')} ${braces[1]}`;
    }
  }
  const between =
    base === '' && braces[0].length === 1 ? ' ' : `${base ? ` ${base}` : ''}\n${' '.repeat(context.indentation)}  `;
  return `${braces[0]}${between}${output.join(`,${line}  `)} ${braces[1]}`;
}

function uncolored(text) {
  // eslint-disable-next-line no-control-regex
  return text.replace(/\u001b\[\d\d?m/g, '');
}

/// Arranges many short entries of an array in columns of about the shape of a square.
function inColumns(context, output, value) {
  const hasRest = context.maxArrayLength < output.length;
  const count = hasRest ? output.length - 1 : output.length;
  const widths = [];
  let total = 0;
  let widest = 0;
  for (let i = 0; i < count; i++) {
    const width = visibleWidth(context.colors ? uncolored(output[i]) : output[i]);
    widths.push(width);
    total += width + 2;
    widest = Math.max(widest, width);
  }
  const cell = widest + 2;
  const fits = cell * 3 + context.indentation < context.breakLength;
  if (!fits || !(total / cell > 5 || widest <= 6)) return output;
  const bias = Math.sqrt(cell - total / output.length);
  const cellBiased = Math.max(cell - 3 - bias, 1);
  const columns = Math.min(
    Math.round(Math.sqrt(2.5 * cellBiased * count) / cellBiased),
    Math.floor((context.breakLength - context.indentation) / cell),
    context.compact * 4,
    15,
  );
  if (columns <= 1) return output;
  const columnWidths = [];
  for (let column = 0; column < columns; column++) {
    let most = 0;
    for (let i = column; i < count; i += columns) most = Math.max(most, widths[i]);
    columnWidths.push(most + 2);
  }
  const numeric =
    value !== undefined && output.every((_, i) => typeof value[i] === 'number' || typeof value[i] === 'bigint');
  const rows = [];
  for (let i = 0; i < count; i += columns) {
    const last = Math.min(i + columns, count);
    let row = '';
    let j = i;
    for (; j < last - 1; j++) {
      const text = `${output[j]}, `;
      const pad = ' '.repeat(Math.max(columnWidths[j - i] - widths[j] - 2, 0));
      row += numeric ? pad + text : text + pad;
    }
    row += numeric ? ' '.repeat(Math.max(columnWidths[j - i] - widths[j] - 2, 0)) + output[j] : output[j];
    rows.push(row);
  }
  if (hasRest) rows.push(output[count]);
  return rows;
}

/// Columns that text takes in a terminal: wide characters take two, combining ones none.
function visibleWidth(text) {
  // eslint-disable-next-line no-control-regex
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const char of text.normalize('NFC')) {
    const code = char.codePointAt(0);
    if (isWide(code)) width += 2;
    else if (!isInvisible(code)) width += 1;
  }
  return width;
}

function isWide(code) {
  return (
    code >= 0x1100 &&
    (code <= 0x115f ||
      code === 0x2329 ||
      code === 0x232a ||
      (code >= 0x2e80 && code <= 0x3247 && code !== 0x303f) ||
      (code >= 0x3250 && code <= 0x4dbf) ||
      (code >= 0x4e00 && code <= 0xa4c6) ||
      (code >= 0xa960 && code <= 0xa97c) ||
      (code >= 0xac00 && code <= 0xd7a3) ||
      (code >= 0xf900 && code <= 0xfaff) ||
      (code >= 0xfe10 && code <= 0xfe19) ||
      (code >= 0xfe30 && code <= 0xfe6b) ||
      (code >= 0xff01 && code <= 0xff60) ||
      (code >= 0xffe0 && code <= 0xffe6) ||
      (code >= 0x1b000 && code <= 0x1b001) ||
      (code >= 0x1f200 && code <= 0x1f251) ||
      (code >= 0x1f300 && code <= 0x1f64f) ||
      (code >= 0x1f900 && code <= 0x1f9ff) ||
      (code >= 0x20000 && code <= 0x3fffd))
  );
}

function isInvisible(code) {
  return (
    code <= 0x1f ||
    (code >= 0x7f && code <= 0x9f) ||
    (code >= 0x300 && code <= 0x36f) ||
    (code >= 0x200b && code <= 0x200f) ||
    (code >= 0x20d0 && code <= 0x20ff) ||
    (code >= 0xfe00 && code <= 0xfe0f) ||
    (code >= 0xfe20 && code <= 0xfe2f) ||
    (code >= 0xe0100 && code <= 0xe01ef)
  );
}

function property(context, value, level, key, type, original = value) {
  const own = Object.getOwnPropertyDescriptor(value, key) ?? {
    value: value[key],
    configurable: true,
    enumerable: true,
  };
  let text;
  let extra = ' ';
  if (own.value !== undefined || 'value' in own) {
    const difference = context.compact !== true || type !== 'object' ? 2 : 3;
    context.indentation += difference;
    text = show(context, own.value, level);
    if (difference === 3 && context.breakLength < visibleWidth(text)) extra = `\n${' '.repeat(context.indentation)}`;
    context.indentation -= difference;
  } else if (own.get !== undefined) {
    const label = own.set !== undefined ? 'Getter/Setter' : 'Getter';
    const wanted =
      context.getters &&
      (context.getters === true ||
        (context.getters === 'get' && own.set === undefined) ||
        (context.getters === 'set' && own.set !== undefined));
    if (wanted) {
      try {
        const got = own.get.call(original);
        context.indentation += 2;
        if (got === null)
          text = `${context.stylize(`[${label}:`, 'special')} ${context.stylize('null', 'null')}${context.stylize(']', 'special')}`;
        else if (typeof got === 'object')
          text = `${context.stylize(`[${label}]`, 'special')} ${show(context, got, level)}`;
        else
          text = `${context.stylize(`[${label}:`, 'special')} ${primitive(context, got)}${context.stylize(']', 'special')}`;
        context.indentation -= 2;
      } catch (error) {
        text = `${context.stylize(`[${label}: <Inspection threw (${error.message})>`, 'special')}${context.stylize(']', 'special')}`;
      }
    } else text = context.stylize(`[${label}]`, 'special');
  } else if (own.set !== undefined) text = context.stylize('[Setter]', 'special');
  else text = context.stylize('undefined', 'undefined');
  if (type === 'array') return text;
  return `${keyText(context, key, own)}:${extra}${text}`;
}

function keyText(context, key, own) {
  if (typeof key === 'symbol') return `[${context.stylize(quotedSymbol(key), 'symbol')}]`;
  if (key === '__proto__') return "['__proto__']";
  if (own.enumerable === false)
    return `[${/[\x00-\x1f\x27\x5c\x7f-\x9f]/.test(key) ? quoted(key, true).slice(1, -1) : key}]`;
  if (/^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key)) return context.stylize(key, 'name');
  return context.stylize(quoted(key), 'string');
}

function quotedSymbol(key) {
  const text = key.toString();
  return /[\x00-\x1f\x27\x5c\x7f-\x9f]/.test(text) ? quoted(text, true).slice(1, -1).replaceAll("\\'", "'") : text;
}

function more(count) { return `... ${count} more item${count > 1 ? 's' : ''}`; }

function arrayEntries(context, value, level) {
  const output = [];
  const length = value.length;
  const most = Math.min(Math.max(0, context.maxArrayLength), length);
  let i = 0;
  for (; i < length && output.length < most; i++) {
    if (!Object.prototype.hasOwnProperty.call(value, i)) {
      // Holes: one entry for all that follow each other.
      let end = i;
      if (length - i > 1000) {
        const next = Object.keys(value).map(Number).find((key) => key > i);
        end = next === undefined || Number.isNaN(next) ? length : next;
      } else while (end < length && !Object.prototype.hasOwnProperty.call(value, end)) end++;
      output.push(context.stylize(`<${end - i} empty item${end - i > 1 ? 's' : ''}>`, 'undefined'));
      i = end - 1;
    } else output.push(property(context, value, level, String(i), 'array'));
  }
  if (i < length) output.push(more(length - i));
  return output;
}

function typedEntries(context, value, level) {
  const size = typedLength(value);
  const most = Math.min(Math.max(0, context.maxArrayLength), size);
  const output = [];
  const big = size > 0 && typeof value[0] === 'bigint';
  for (let i = 0; i < most; i++)
    output.push(big ? primitive(context, value[i]) : numberText(context.stylize, value[i], context.numericSeparator));
  if (size > most) output.push(more(size - most));
  if (context.showHidden) {
    context.indentation += 2;
    for (const key of ['BYTES_PER_ELEMENT', 'length', 'byteLength', 'byteOffset', 'buffer']) {
      output.push(`[${key}]: ${show(context, value[key], level, true)}`);
    }
    context.indentation -= 2;
  }
  return output;
}

const typedLength = (value) =>
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), 'length').get.call(value);
const setSize = (value) => Object.getOwnPropertyDescriptor(Set.prototype, 'size').get.call(value);
const mapSize = (value) => Object.getOwnPropertyDescriptor(Map.prototype, 'size').get.call(value);

function setEntries(context, value, level) {
  const output = [];
  const most = Math.min(Math.max(0, context.maxArrayLength), setSize(value));
  context.indentation += 2;
  let count = 0;
  for (const item of Set.prototype.values.call(value)) {
    if (count++ >= most) break;
    output.push(show(context, item, level));
  }
  if (setSize(value) > most) output.push(more(setSize(value) - most));
  context.indentation -= 2;
  return output;
}

function mapEntries(context, value, level) {
  const output = [];
  const most = Math.min(Math.max(0, context.maxArrayLength), mapSize(value));
  context.indentation += 2;
  let count = 0;
  for (const [key, item] of Map.prototype.entries.call(value)) {
    if (count++ >= most) break;
    output.push(`${show(context, key, level)} => ${show(context, item, level)}`);
  }
  if (mapSize(value) > most) output.push(more(mapSize(value) - most));
  context.indentation -= 2;
  return output;
}

/// What an iterator still has, or a weak collection holds, as far as there is room.
function itemEntries(context, value, level) {
  const [arePairs, ...items] = native.itemsOf(value);
  const isMap = native.classOf(value) === 'WeakMap';
  const step = arePairs ? 2 : 1;
  const count = items.length / step;
  const most = Math.min(Math.max(0, context.maxArrayLength), count);
  const output = [];
  context.indentation += 2;
  for (let i = 0; i < most * step; i += step) {
    const [one, other] = [items[i], items[i + 1]];
    if (!arePairs) output.push(show(context, one, level));
    else if (isMap) output.push(`${show(context, one, level)} => ${show(context, other, level)}`);
    else output.push(`[ ${show(context, one, level)}, ${show(context, other, level)} ]`);
  }
  context.indentation -= 2;
  if (most < count) output.push(more(count - most));
  return output;
}

function bufferEntries(context, value) {
  let bytes;
  try {
    bytes = new Uint8Array(value);
  } catch {
    return [context.stylize('(detached)', 'special')];
  }
  const most = Math.min(Math.max(0, context.maxArrayLength), bytes.length);
  const hex = Array.from(bytes.subarray(0, most), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  const rest = bytes.length - most;
  return [
    `${context.stylize('[Uint8Contents]', 'special')}: <${hex}${rest > 0 ? ` ... ${rest} more byte${rest > 1 ? 's' : ''}` : ''}>`,
  ];
}

function promiseEntries(context, value, level) {
  const [state, result] = native.promiseParts(value);
  if (state === 0) return [context.stylize('<pending>', 'special')];
  context.indentation += 2;
  const text = show(context, result, level);
  context.indentation -= 2;
  return [state === 2 ? `${context.stylize('<rejected>', 'special')} ${text}` : text];
}

function namespaceEntries(context, value, level, keys) {
  return keys.filter((key) => key !== Symbol.toStringTag).map((key) => {
    try {
      context.indentation += 2;
      const text = `${keyText(context, key, { enumerable: true })}: ${show(context, value[key], level)}`;
      context.indentation -= 2;
      return text;
    } catch {
      return `${keyText(context, key, { enumerable: true })}: ${context.stylize('<uninitialized>', 'special')}`;
    }
  });
}

function functionBase(value, constructor, tag) {
  const text = Function.prototype.toString.call(value);
  if (text.startsWith('class') && text.endsWith('}')) {
    const own = Object.prototype.hasOwnProperty.call(value, 'name') ? value.name : '';
    let base = `[class ${own === '' ? '(anonymous)' : own}`;
    if (constructor !== 'Function' && constructor !== null) base += ` [${constructor}]`;
    if (tag !== '' && constructor !== tag) base += ` [${tag}]`;
    if (constructor === null) base += ' extends [null prototype]';
    else {
      const parent = Object.getPrototypeOf(value)?.name;
      if (parent) base += ` extends ${parent}`;
    }
    return `${base}]`;
  }
  const kind = functionKind(value);
  let base = `[${kind}`;
  if (constructor === null) base += ' (null prototype)';
  base += value.name === '' || typeof value.name !== 'string' ? ' (anonymous)' : `: ${value.name}`;
  base += ']';
  if (constructor !== kind && constructor !== null && constructor !== 'Function') base += ` ${constructor}`;
  if (tag !== '' && constructor !== tag) base += ` [${tag}]`;
  return base;
}

function functionKind(value) {
  switch (native.classOf(value)) {
    case 'AsyncFunction': return 'AsyncFunction';
    case 'GeneratorFunction': return 'GeneratorFunction';
    case 'AsyncGeneratorFunction': return 'AsyncGeneratorFunction';
    default: return 'Function';
  }
}

function isErrorLike(value) {
  return value instanceof Error;
}

function boxedText(context, value, kind, constructor, tag, keys) {
  const name = BOXED[kind];
  let type = kind;
  if (type !== constructor) type += constructor === null ? ' (null prototype)' : ` (${constructor})`;
  const inner = { Number, String, Boolean, BigInt, Symbol }[kind].prototype.valueOf.call(value);
  let base = `[${type}: ${primitive({ ...context, stylize: plain }, inner)}]`;
  if (tag !== '' && tag !== constructor) base += ` [${tag}]`;
  if (keys.length !== 0 || context.stylize === plain) return base;
  return context.stylize(base, name);
}

/// An exception: its stack, with a name that fits and without what is also in its properties.
function errorText(context, error, constructor, tag, keys) {
  let stack = error.stack ? String(error.stack) : Error.prototype.toString.call(error);
  if (!context.showHidden && keys.length !== 0) {
    for (const name of ['name', 'message', 'stack']) {
      const index = keys.indexOf(name);
      if (index >= 0 && (typeof error[name] !== 'string' || stack.includes(error[name]))) keys.splice(index, 1);
    }
  }
  if (
    'cause' in error &&
    (keys.length === 0 || !keys.includes('cause')) &&
    Object.prototype.hasOwnProperty.call(error, 'cause')
  )
    keys.push('cause');
  if (Array.isArray(error.errors) && Object.prototype.hasOwnProperty.call(error, 'errors') && !keys.includes('errors'))
    keys.push('errors');
  stack = improvedName(stack, constructor, error, tag);
  const position = (error.message && stack.indexOf(error.message)) || -1;
  const from = position === -1 ? 0 : position + error.message.length;
  const frames = stack.indexOf('\n    at', from);
  if (frames === -1) stack = `[${stack}]`;
  else if (context.colors) stack = coloredFrames(context, stack, frames);
  if (context.indentation !== 0) stack = stack.replaceAll('\n', `\n${' '.repeat(context.indentation)}`);
  return stack;
}

function coloredFrames(context, stack, at) {
  const lines = stack.slice(at + 1).split('\n');
  return stack.slice(0, at) + lines.map((line) => {
    if (/^ +at (.*\()?node:/.test(line) && isBuiltin(line)) return `\n${context.stylize(line, 'undefined')}`;
    const found = /^(.*\/node_modules\/)(.+?)(?=\/)(.*)$/.exec(line);
    return `\n${found ? `${found[1]}${context.stylize(found[2], 'module')}${found[3]}` : line}`;
  }).join('');
}

/// Whether a line is of a module that programs can load by this name.
function isBuiltin(line) {
  const name = /node:([^:]+)/.exec(line)[1];
  return require('internal/builtins').builtin(`node:${name}`) !== undefined;
}

function improvedName(stack, constructor, error, tag) {
  let name = error.name != null ? String(error.name) : 'Error';
  const length = name.length;
  if (constructor === null || (name.endsWith('Error') && stack.startsWith(name) &&
    (stack.length === length || stack[length] === ':' || stack[length] === '\n'))) {
    let fallback = 'Error';
    if (constructor === null) {
      const start = /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n\s+at)/.exec(stack) || /^([a-z_A-Z0-9-]*Error)$/.exec(stack);
      fallback = (start && start[1]) || '';
      const size = fallback.length;
      fallback = fallback || 'Error';
      stack = `${prefix(constructor, tag, fallback).slice(0, -1)}${stack.slice(size)}`;
    } else if (!name.includes(constructor)) {
      if (constructor.includes(name))
        stack = length === 0 ? `${constructor}: ${stack}` : `${constructor}${stack.slice(length)}`;
      else stack = `${constructor} [${name}]${stack.slice(length)}`;
    }
  }
  return stack;
}

/// Whether text says more of a value than `inspect` would: it has a `toString` of its own.
function hasOwnText(value) {
  if (typeof value.toString !== 'function') return false;
  if (Object.prototype.hasOwnProperty.call(value, 'toString')) return true;
  let pointer = value;
  do {
    pointer = Object.getPrototypeOf(pointer);
    if (pointer === null) return false;
  } while (!Object.prototype.hasOwnProperty.call(pointer, 'toString'));
  const own = Object.getOwnPropertyDescriptor(pointer, 'constructor');
  return !(
    own !== undefined &&
    typeof own.value === 'function' &&
    BUILTIN.has(own.value.name) &&
    globalThis[own.value.name] === own.value
  );
}
const BUILTIN = new Set([
  'Object',
  'Array',
  'Function',
  'Date',
  'RegExp',
  'Map',
  'Set',
  'Promise',
  'Symbol',
  'Boolean',
  'Number',
  'String',
  'BigInt',
  'WeakMap',
  'WeakSet',
  'ArrayBuffer',
  'DataView',
  'Proxy',
  'Error',
  'TypeError',
  'RangeError',
  'SyntaxError',
  'ReferenceError',
  'EvalError',
  'URIError',
  'AggregateError',
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'Float32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
  'WeakRef',
  'Iterator',
]);

function format(...words) {
  return formatWithOptions({}, ...words);
}

function formatWithOptions(options, ...words) {
  const first = words[0];
  let at = 0;
  let text = '';
  let join = '';
  if (typeof first === 'string') {
    if (words.length === 1) return first;
    let last = 0;
    for (let i = 0; i < first.length - 1; i++) {
      if (first.charCodeAt(i) !== 37) continue;
      const next = first[++i];
      if (at + 1 !== words.length) {
        let part;
        switch (next) {
          case 's': part = asString(words[++at], options); break;
          case 'd': part = asNumber(words[++at], Number, options); break;
          case 'i': part = asNumber(words[++at], parseInt, options); break;
          case 'f': {
            const value = words[++at];
            part = typeof value === 'symbol' ? 'NaN' : numberText(plain, Number.parseFloat(value), false);
            break;
          }
          case 'j': part = asJson(words[++at]); break;
          case 'o': part = inspect(words[++at], { ...options, showHidden: true, showProxy: true, depth: 4 }); break;
          case 'O': part = inspect(words[++at], options); break;
          case 'c': at += 1; part = ''; break;
          case '%':
            text += first.slice(last, i);
            last = i + 1;
            continue;
          default:
            continue;
        }
        if (last !== i - 1) text += first.slice(last, i - 1);
        text += part;
        last = i + 1;
      } else if (next === '%') {
        text += first.slice(last, i);
        last = i + 1;
      }
    }
    if (last !== 0) {
      at++;
      join = ' ';
      if (last < first.length) text += first.slice(last);
    }
  }
  while (at < words.length) {
    const value = words[at];
    text += join;
    text += typeof value !== 'string' ? inspect(value, options) : value;
    join = ' ';
    at++;
  }
  return text;
}

function asString(value, options) {
  if (typeof value === 'number') return numberText(plain, value, false);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null || hasOwnText(value)) return String(value);
  return inspect(value, { ...options, depth: 0, colors: false, compact: 3 });
}

function asNumber(value, convert, { numericSeparator = false }) {
  if (typeof value === 'bigint') return primitive({ stylize: plain, numericSeparator }, value);
  if (typeof value === 'symbol') return 'NaN';
  return numberText(plain, convert(value), numericSeparator);
}

function asJson(value) {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (/circular/.test(error.message)) return '[Circular]';
    throw error;
  }
}

module.exports = { inspect, format, formatWithOptions, custom, quoted, visibleWidth, uncolored, DEFAULTS };
