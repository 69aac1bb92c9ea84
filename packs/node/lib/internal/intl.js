// The little of internationalisation that programs use without asking for it: English as spoken in the United States.

const { rulesOf, dateIn, numberIn } = require('internal/locales');

function grouped(digits) {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',');
}

/// Currencies without a smaller unit.
const WHOLE = ['JPY', 'KRW', 'VND', 'CLP', 'ISK', 'XAF', 'XOF', 'PYG', 'UGX'];
const CHOICES = {
  style: ['decimal', 'percent', 'currency', 'unit'],
  notation: ['standard', 'scientific', 'engineering', 'compact'],
  signDisplay: ['auto', 'never', 'always', 'exceptZero', 'negative'],
  currencyDisplay: ['code', 'symbol', 'narrowSymbol', 'name'],
};
const DIGITS = {
  minimumIntegerDigits: [1, 21], minimumFractionDigits: [0, 20], maximumFractionDigits: [0, 20],
  minimumSignificantDigits: [1, 21], maximumSignificantDigits: [1, 21],
};

/// Refuses options that make no sense, and those whose words are not here.
function checkNumberOptions(options) {
  for (const [key, values] of Object.entries(CHOICES)) {
    if (options[key] !== undefined && !values.includes(`${options[key]}`))
      throw new RangeError(`Value ${options[key]} out of range for Intl.NumberFormat options property ${key}`);
  }
  for (const [key, [least, most]] of Object.entries(DIGITS)) {
    const value = options[key];
    if (value !== undefined && !(Number(value) >= least && Number(value) <= most))
      throw new RangeError(`${key} value is out of range.`);
  }
  if (options.minimumFractionDigits > (options.maximumFractionDigits ?? Infinity))
    throw new RangeError('maximumFractionDigits value is out of range.');
  if (options.style === 'currency') {
    if (options.currency === undefined) throw new TypeError('Currency code is required with currency style.');
    if (!/^[A-Za-z]{3}$/.test(options.currency)) throw new RangeError(`Invalid currency code : ${options.currency}`);
  }
  const { unsupported } = require('internal/errors');
  if (options.style === 'unit') unitWords(options);
  if (options.notation === 'scientific' || options.notation === 'engineering')
    throw unsupported(`Intl.NumberFormat with the notation ${options.notation}`);
  if (options.currencyDisplay === 'name' || options.currencyDisplay === 'code')
    throw unsupported(`Intl.NumberFormat with currencies as ${options.currencyDisplay}s`);
}

/// Units: the long word without its plural's s, the short word or words, the narrow one.
const UNITS = Object.fromEntries([
  'year,yr/yrs,y', 'month,mth/mths,m', 'week,wk/wks,w', 'day,day/days,d', 'hour,hr,h', 'minute,min,m', 'second,sec,s',
  'millisecond,ms,ms', 'bit,bit,bit', 'byte,byte,B', 'kilobyte,kB,kB', 'megabyte,MB,MB', 'gigabyte,GB,GB',
  'terabyte,TB,TB', 'meter,m,m', 'centimeter,cm,cm', 'kilometer,km,km', 'mile,mi,mi', 'liter,L,L', 'gram,g,g',
  'kilogram,kg,kg',
].map((line) => [line.split(',')[0], line.split(',')]));

function unitWords({ unit }) {
  if (Object.hasOwn(UNITS, unit)) return UNITS[unit];
  const { unsupported } = require('internal/errors');
  if (unit === undefined) throw new TypeError("Invalid unit argument for Intl.NumberFormat() ''");
  throw unsupported(`Intl.NumberFormat with the unit ${unit}`);
}

/// What follows a number of units.
function withUnit(isOne, { unit, unitDisplay = 'short' }) {
  const [long, short, narrow] = unitWords({ unit });
  if (unitDisplay === 'narrow') return narrow;
  if (unitDisplay === 'long') return isOne ? ` ${long}` : ` ${long}s`;
  const words = short.split('/');
  return ` ${isOne ? words[0] : words.at(-1)}`;
}

/// A number with at most three digits after the point, as `toLocaleString` writes it.
function number(
  value,
  {
    minimumFractionDigits,
    maximumFractionDigits,
    style,
    currency,
    useGrouping = true,
    minimumIntegerDigits = 1,
    minimumSignificantDigits,
    maximumSignificantDigits,
    notation,
    signDisplay = 'auto',
    unit,
    unitDisplay,
  } = {},
) {
  if (Number.isNaN(value)) return 'NaN';
  let suffix = '';
  if (style === 'percent') value *= 100;
  const isMoney = style === 'currency';
  const cents = isMoney && !WHOLE.includes(`${currency}`.toUpperCase()) ? 2 : 0;
  let least = minimumFractionDigits ?? Math.min(cents, maximumFractionDigits ?? cents);
  let most = maximumFractionDigits ?? Math.max(least, isMoney ? cents : style === 'percent' ? 0 : 3);
  if ((minimumSignificantDigits ?? maximumSignificantDigits) !== undefined && value !== 0 && Number.isFinite(value)) {
    const digits = maximumSignificantDigits ?? 21;
    value = Number(value.toPrecision(digits));
    const before = Math.floor(Math.log10(Math.abs(value))) + 1;
    least = Math.max(0, (minimumSignificantDigits ?? 1) - before);
    most = Math.max(least, digits - before, 0);
  }
  if (notation === 'compact') {
    const units = [[1e12, 'T'], [1e9, 'B'], [1e6, 'M'], [1e3, 'K']];
    const unit = units.find(([size]) => Math.abs(value) >= size);
    if (unit) {
      value /= unit[0];
      [, suffix] = unit;
    }
    value = Math.abs(value) < 100 ? Number(value.toPrecision(2)) : Math.round(value);
  }
  const negative = value < 0 || Object.is(value, -0);
  const size = Math.abs(value);
  let text;
  if (size === Infinity) text = '∞';
  else {
    const [whole, fraction = ''] = (size >= 1e21 ? BigInt(size).toString() : size.toFixed(Math.min(most, 100))).split(
      '.',
    );
    let rest = fraction;
    while (rest.length > least && rest.endsWith('0')) rest = rest.slice(0, -1);
    const padded = whole.padStart(minimumIntegerDigits, '0');
    text = (useGrouping ? grouped(padded) : padded) + (rest ? `.${rest}` : '');
  }
  const symbol =
    { USD: '$', EUR: '€', GBP: '£', JPY: '¥', INR: '₹', CNY: 'CN¥' }[currency] ?? (currency ? `${currency}\u00a0` : '');
  let sign = negative ? '-' : '';
  const isZero = !/[1-9∞]/.test(text);
  if (!negative && (signDisplay === 'always' || (signDisplay === 'exceptZero' && !isZero))) sign = '+';
  if (signDisplay === 'never' || (isZero && ['exceptZero', 'negative'].includes(signDisplay))) sign = '';
  const after = style === 'percent' ? '%' : style === 'unit' ? withUnit(`${sign}${text}` === '1', { unit, unitDisplay }) : '';
  return `${sign}${isMoney ? symbol : ''}${text}${suffix}${after}`;
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const two = (value) => String(value).padStart(2, '0');

const STYLES = {
  date: {
    full: { weekday: 'long', month: 'long', day: 'numeric', year: 'numeric' },
    long: { month: 'long', day: 'numeric', year: 'numeric' },
    medium: { month: 'short', day: 'numeric', year: 'numeric' },
    short: { month: 'numeric', day: 'numeric', year: '2-digit' },
  },
  time: {
    full: { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'long' },
    long: { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
    medium: { hour: 'numeric', minute: '2-digit', second: '2-digit' },
    short: { hour: 'numeric', minute: '2-digit' },
  },
};

function date(value, options = {}, needs = 'any', defaults = 'all', locales = undefined) {
  options ??= {};
  checkZone(options);
  const rules = rulesOf(locales);
  if (Number.isNaN(value.getTime())) return 'Invalid Date';
  if (rules) return dateIn(rules, inZone(value, options), options, defaults);
  let wanted = { ...options };
  if (options.dateStyle || options.timeStyle)
    wanted = { ...wanted, ...STYLES.date[options.dateStyle], ...STYLES.time[options.timeStyle] };
  const hasDate = wanted.weekday || wanted.year || wanted.month || wanted.day;
  const hasTime = wanted.hour || wanted.minute || wanted.second || wanted.fractionalSecondDigits;
  if (!((hasDate && needs !== 'time') || (hasTime && needs !== 'date'))) {
    if (defaults !== 'time') Object.assign(wanted, { year: 'numeric', month: 'numeric', day: 'numeric' });
    if (defaults !== 'date') Object.assign(wanted, { hour: 'numeric', minute: '2-digit', second: '2-digit' });
  }
  const at = inZone(value, wanted);
  const dateText = datePart(at, wanted);
  const timeText = timePart(at, wanted);
  if (dateText && timeText)
    return `${dateText}${wanted.month === 'long' ? ' at ' : onlyWeekday(wanted) ? ' ' : ', '}${timeText}`;
  return dateText || timeText;
}

const onlyWeekday = ({ weekday, year, month, day }) => weekday && !(year || month || day);

/// A date whose UTC is the time of the zone that is asked for.
function inZone(value, { timeZone }) {
  return new Date(value.getTime() - (timeZone ? 0 : value.getTimezoneOffset() * 60000));
}

function datePart(at, { weekday, year, month, day }) {
  const y = year && (year === '2-digit' ? two(at.getUTCFullYear() % 100) : String(at.getUTCFullYear()));
  const d = day && (day === '2-digit' ? two(at.getUTCDate()) : String(at.getUTCDate()));
  const name =
    weekday &&
    (weekday === 'long' ? DAYS[at.getUTCDay()] : DAYS[at.getUTCDay()].slice(0, weekday === 'narrow' ? 1 : 3));
  if (month === 'long' || month === 'short' || month === 'narrow') {
    const full = MONTHS[at.getUTCMonth()];
    const m = month === 'long' ? full : full.slice(0, month === 'short' ? 3 : 1);
    const first = [m, d].filter(Boolean).join(' ');
    const rest = y ? (d ? `${first}, ${y}` : `${first} ${y}`) : first;
    return name ? `${name}, ${rest}` : rest;
  }
  const m = month && (month === '2-digit' ? two(at.getUTCMonth() + 1) : String(at.getUTCMonth() + 1));
  const numbers = [m, d, y].filter(Boolean).join('/');
  return name ? (numbers ? `${name}, ${numbers}` : name) : numbers;
}

function timePart(at, { hour, minute, second, hour12, hourCycle, fractionalSecondDigits, timeZoneName }) {
  if (!hour && !minute && !second) return '';
  const twelve = hour12 ?? (hourCycle ? hourCycle === 'h12' || hourCycle === 'h11' : true);
  const hours = at.getUTCHours();
  const parts = [];
  if (hour) {
    const shown = twelve ? hours % 12 || 12 : hours;
    parts.push(
      hour === '2-digit' || !twelve
        ? two(hours === 0 && (hourCycle === 'h24' || (hour12 === false && hourCycle === undefined)) ? 24 : shown)
        : String(shown),
    );
  }
  if (minute)
    parts.push(parts.length || (minute === '2-digit' && second) ? two(at.getUTCMinutes()) : String(at.getUTCMinutes()));
  if (second)
    parts.push(
      (parts.length ? two(at.getUTCSeconds()) : String(at.getUTCSeconds())) +
        (fractionalSecondDigits
          ? `.${String(at.getUTCMilliseconds()).padStart(3, '0').slice(0, fractionalSecondDigits)}`
          : ''),
    );
  let text = parts.join(':');
  if (hour && twelve) text += ` ${hours < 12 ? 'AM' : 'PM'}`;
  if (timeZoneName) text += timeZoneName === 'long' ? ' Coordinated Universal Time' : ' UTC';
  return text;
}

/// How a character sorts: letters by alphabet, then by case, with accents after plain ones.
function collationKey(text) {
  const plain = text.normalize('NFD');
  return plain;
}

function compare(one, two_, { sensitivity = 'variant', numeric = false } = {}) {
  const left = collationKey(`${one}`);
  const right = collationKey(`${two_}`);
  const strip = (text) => text.replace(/[\u0300-\u036f]/g, '');
  const first = primary(strip(left).toLowerCase(), strip(right).toLowerCase(), numeric);
  if (first !== 0 || sensitivity === 'base') return first;
  if (sensitivity !== 'case') {
    const accents = (text) => text.replace(/[^\u0300-\u036f]/g, ' ');
    const second = accents(left) < accents(right) ? -1 : accents(left) > accents(right) ? 1 : 0;
    if (second !== 0 || sensitivity === 'accent') return second;
  }
  const [a, b] = [strip(left), strip(right)];
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i] === a[i].toLowerCase() ? -1 : 1;
  return 0;
}

const CLASSES = [/\s/, /[_\-,;:!?.'"()[\]{}@*/\\&#%]/, /[`^+<=>|~$]/, /\d/, /\p{L}/u];
const ORDER = '_-,;:!?.\'"()[]{}@*/\\&#%`^+<=>|~$';

function primary(left, right, numeric) {
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    if (numeric && /\d/.test(left[i]) && /\d/.test(right[j])) {
      const [a] = /^\d+/.exec(left.slice(i));
      const [b] = /^\d+/.exec(right.slice(j));
      if (Number(a) !== Number(b)) return Number(a) < Number(b) ? -1 : 1;
      i += a.length;
      j += b.length;
      continue;
    }
    const [a, b] = [left[i++], right[j++]];
    if (a === b) continue;
    const [p, q] = [CLASSES.findIndex((kind) => kind.test(a)), CLASSES.findIndex((kind) => kind.test(b))];
    if (p !== q) return p < q ? -1 : 1;
    if (p === 1 || p === 2) return ORDER.indexOf(a) < ORDER.indexOf(b) ? -1 : 1;
    return a < b ? -1 : 1;
  }
  return Math.sign(left.length - i - (right.length - j));
}

const resolved = (locale, more) => ({ locale: locale ?? 'en-US', ...more });

class NumberFormat {
  #options;
  constructor(locales, options = {}) {
    checkNumberOptions(options ?? {});
    this.#options = options ?? undefined;
    const rules = rulesOf(locales);
    this.format = (value) => {
      const text = typeof value === 'bigint' ? grouped(String(value)) : number(Number(value), this.#options);
      return rules ? numberIn(rules, text, this.#options) : text;
    };
    Object.defineProperty(this, 'format', { enumerable: false });
  }
  formatToParts(value) {
    const kinds = { ',': 'group', '.': 'decimal', '-': 'minusSign', '+': 'plusSign', '%': 'percentSign' };
    let isFraction = false;
    return Array.from(this.format(value).matchAll(/\d+|[,.%+\-∞]|NaN|[KMBT]$|\s+|[^\d,.%+\-∞\s]+/g), ([text]) => {
      let type = kinds[text];
      if (/^\d/.test(text)) type = isFraction ? 'fraction' : 'integer';
      else if (text === '∞') type = 'infinity';
      else if (text === 'NaN') type = 'nan';
      else if (/^[KMBT]$/.test(text)) type = 'compact';
      else if (/^\s/.test(text)) type = 'literal';
      if (text === '.') isFraction = true;
      return { type: type ?? (this.#options?.style === 'unit' ? 'unit' : 'currency'), value: text };
    });
  }
  resolvedOptions() {
    return resolved(undefined, {
      numberingSystem: 'latn',
      style: 'decimal',
      minimumIntegerDigits: 1,
      minimumFractionDigits: 0,
      maximumFractionDigits: 3,
      ...this.#options,
    });
  }
  static supportedLocalesOf() {
    return ['en-US'];
  }
}

/// There is UTC; other zones are refused, and so is what is none.
function checkZone({ timeZone }) {
  if (timeZone === undefined || /^(utc|gmt|etc\/utc|etc\/gmt)$/i.test(timeZone)) return;
  if (!/^[A-Za-z_]+(\/[A-Za-z_+\-0-9]+)*$|^[+-]\d\d:?\d\d$/.test(timeZone))
    throw new RangeError(`Invalid time zone specified: ${timeZone}`);
  throw require('internal/errors').unsupported(`The time zone ${timeZone}`);
}

/// The parts of a date as text: they always come in this order.
const PARTS = [
  'weekday', 'month', 'day', 'year', 'hour', 'minute', 'second', 'fractionalSecond', 'dayPeriod', 'timeZoneName',
];

function dateParts(text, options) {
  const style = { ...STYLES.date[options.dateStyle], ...STYLES.time[options.timeStyle], ...options };
  const has = (part) => {
    if (part === 'fractionalSecond') return style.fractionalSecondDigits;
    if (part === 'dayPeriod') return / [AP]M\b/.test(text);
    return style[part];
  };
  let wanted = PARTS.filter(has);
  if (!wanted.some((part) => part !== 'timeZoneName' && part !== 'dayPeriod')) wanted = ['month', 'day', 'year', ...wanted];
  const zone = wanted.includes('timeZoneName') ? /(UTC|Coordinated Universal Time)$/.exec(text)?.[0] ?? '' : '';
  const body = text.slice(0, text.length - zone.length);
  const out = Array.from(body.matchAll(/\d+|(?!at\b)[A-Za-z]+|(?:at\b|[^A-Za-z\d])+/g), ([value]) => {
    const isLiteral = !/^(\d|(?!at\b)[A-Za-z])/.test(value);
    return { type: isLiteral ? 'literal' : wanted.shift() ?? 'literal', value };
  });
  if (zone) out.push({ type: 'timeZoneName', value: zone });
  return out;
}

class DateTimeFormat {
  #options;
  constructor(locales, options = {}) {
    checkZone(options ?? {});
    this.#options = options ?? {};
    rulesOf(locales);
    this.format = (value) =>
      date(value === undefined ? new Date() : new Date(value), this.#options, 'any', 'date', locales);
    Object.defineProperty(this, 'format', { enumerable: false });
  }
  formatToParts(value) { return dateParts(this.format(value), this.#options); }
  resolvedOptions() {
    return resolved(undefined, {
      calendar: 'gregory',
      numberingSystem: 'latn',
      timeZone: process.env.TZ || 'UTC',
      ...this.#options,
    });
  }
  static supportedLocalesOf() {
    return ['en-US'];
  }
}

class Collator {
  constructor(locales, options) {
    this.compare = (one, two_) => compare(one, two_, options);
    Object.defineProperty(this, 'compare', { enumerable: false });
  }
  resolvedOptions() { return resolved(undefined, { usage: 'sort', sensitivity: 'variant' }); }
}

class PluralRules {
  #ordinal;
  constructor(locales, options) { this.#ordinal = options?.type === 'ordinal'; }
  select(value) {
    if (!this.#ordinal) return value === 1 ? 'one' : 'other';
    const [ten, hundred] = [value % 10, value % 100];
    if (ten === 1 && hundred !== 11) return 'one';
    if (ten === 2 && hundred !== 12) return 'two';
    if (ten === 3 && hundred !== 13) return 'few';
    return 'other';
  }
  resolvedOptions() { return resolved(undefined, { type: this.#ordinal ? 'ordinal' : 'cardinal' }); }
}

/// What is between two items, and before the last of several.
function separators({ type = 'conjunction', style = 'long' }) {
  if (type === 'unit') return style === 'narrow' ? [' ', ' '] : [', ', ', '];
  if (type === 'disjunction') return [' or ', ', or '];
  if (style === 'narrow') return [', ', ', '];
  return style === 'short' ? [' & ', ', & '] : [' and ', ', and '];
}

class ListFormat {
  #options;
  constructor(locales, options) { this.#options = options ?? {}; }
  format(list) { return this.formatToParts(list).map(({ value }) => value).join(''); }
  formatToParts(list) {
    const items = [...list];
    const [ofTwo, last] = separators(this.#options);
    const others = ofTwo === ' ' ? ' ' : ', ';
    const before = (i) => (items.length === 2 ? ofTwo : i === items.length - 1 ? last : others);
    return items.flatMap((value, i) => [
      ...(i > 0 ? [{ type: 'literal', value: before(i) }] : []),
      { type: 'element', value },
    ]);
  }
}

class RelativeTimeFormat {
  #auto;
  constructor(locales, options) { this.#auto = options?.numeric === 'auto'; }
  format(value, unit) {
    unit = unit.replace(/s$/, '');
    if (this.#auto && unit === 'day' && Math.abs(value) <= 1) return ['yesterday', 'today', 'tomorrow'][value + 1];
    const size = Math.abs(value);
    const words = `${number(size)} ${unit}${size === 1 ? '' : 's'}`;
    return value < 0 || Object.is(value, -0) ? `${words} ago` : `in ${words}`;
  }
}

class Segmenter {
  #granularity;
  constructor(locales, options) { this.#granularity = options?.granularity ?? 'grapheme'; }
  segment(input) {
    const pattern =
      this.#granularity === 'word'
        ? /[\p{L}\p{N}_']+|\s+|[^]/gu
        : /\P{M}(?:\p{M}|\u200d\P{M}|[\u{1f3fb}-\u{1f3ff}]|\ufe0f)*/gsu;
    return Array.from(input.matchAll(pattern), (found) => ({
      segment: found[0],
      index: found.index,
      input,
      ...(this.#granularity === 'word' && { isWordLike: /[\p{L}\p{N}]/u.test(found[0]) }),
    }));
  }
}

/// The usual letters of a language's tag: `en-Latn-US`.
function canonical(tag) {
  if ((typeof tag !== 'string' && typeof tag !== 'object') || tag === null)
    throw new TypeError('Incorrect locale information provided');
  if (!/^[a-z]{2,8}(-[a-z\d]{1,8})*$/i.test(tag)) throw new RangeError(`Incorrect locale information provided`);
  let isPlain = true; // before extensions
  return String(tag)
    .toLowerCase()
    .split('-')
    .map((part, i) => {
      if (part.length === 1) isPlain = false;
      if (i === 0 || !isPlain) return part;
      if (/^[a-z]{4}$/.test(part)) return part[0].toUpperCase() + part.slice(1);
      return /^[a-z]{2}$/.test(part) ? part.toUpperCase() : part;
    })
    .join('-');
}

/// A text whose letters have the same cases in a language as elsewhere.
function casedIn(locale, text, name) {
  const [language] = canonical(locale).split('-');
  if (language === 'tr' || language === 'az') {
    return name === 'toLocaleLowerCase'
      ? text.replace(/İ|I\u0307/g, 'i').replaceAll('I', 'ı')
      : text.replaceAll('i', 'İ');
  }
  const special = { lt: /[ijįIJĮÌÍĨ]/, el: /[\u0370-\u03ff\u1f00-\u1fff]/, hy: /և/ }[language];
  if (special?.test(text) && !(language !== 'lt' && name === 'toLocaleLowerCase'))
    throw require('internal/errors').unsupported(`String.prototype.${name} in the language ${locale}`);
  return text;
}

function setUp() {
  const Intl = {};
  const callable = (Kind) => new Proxy(Kind, { apply: (target, self, args) => new target(...args) });
  const all = {
    NumberFormat: callable(NumberFormat),
    DateTimeFormat: callable(DateTimeFormat),
    Collator: callable(Collator),
    PluralRules,
    ListFormat,
    RelativeTimeFormat,
    Segmenter,
  };
  for (const [name, value] of Object.entries(all))
    Object.defineProperty(Intl, name, { value, writable: true, configurable: true, enumerable: false });
  Object.defineProperty(Intl, 'getCanonicalLocales', {
    value: { getCanonicalLocales: (list) => [...new Set([list ?? []].flat().map(canonical))] }.getCanonicalLocales,
    writable: true,
    configurable: true,
  });
  Object.defineProperty(Intl, Symbol.toStringTag, { value: 'Intl', configurable: true });
  Object.defineProperty(globalThis, 'Intl', { value: Intl, writable: true, configurable: true, enumerable: false });
  const method = (target, name, value) =>
    Object.defineProperty(target, name, {
      value: { [name]: value }[name],
      writable: true,
      configurable: true,
      enumerable: false,
    });
  method(Number.prototype, 'toLocaleString', function (locales, options) {
    checkNumberOptions(options ?? {});
    const rules = rulesOf(locales);
    const text = number(Number(this), options ?? undefined);
    return rules ? numberIn(rules, text, options) : text;
  });
  method(BigInt.prototype, 'toLocaleString', function (locales, options) {
    const rules = rulesOf(locales);
    const text = String(this).replace(/\d+/, grouped);
    return rules ? numberIn(rules, text, options) : text;
  });
  method(Date.prototype, 'toLocaleString', function (locales, options) {
    return date(this, options, 'any', 'all', locales);
  });
  method(Date.prototype, 'toLocaleDateString', function (locales, options) {
    return date(this, options, 'date', 'date', locales);
  });
  method(Date.prototype, 'toLocaleTimeString', function (locales, options) {
    return date(this, options, 'time', 'time', locales);
  });
  for (const name of ['toLocaleLowerCase', 'toLocaleUpperCase']) {
    const plain = String.prototype[name.replace('Locale', '')];
    method(String.prototype, name, function (locales) {
      const text = String(this);
      const [first] = Array.isArray(locales) ? locales : [locales];
      return plain.call(first === undefined ? text : casedIn(first, text, name));
    });
  }
  method(String.prototype, 'localeCompare', function (other, locales, options) {
    return compare(this, other, options);
  });
}

module.exports = { setUp };
