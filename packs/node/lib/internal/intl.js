// The little of internationalisation that programs use without asking for it: English as spoken in the United States.

function grouped(digits) {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',');
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
    notation,
  } = {},
) {
  if (Number.isNaN(value)) return 'NaN';
  let suffix = '';
  if (style === 'percent') value *= 100;
  const isMoney = style === 'currency';
  const least = minimumFractionDigits ?? (isMoney ? 2 : 0);
  const most = maximumFractionDigits ?? Math.max(least, isMoney ? 2 : style === 'percent' ? 0 : 3);
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
  return `${negative ? '-' : ''}${isMoney ? symbol : ''}${text}${suffix}${style === 'percent' ? '%' : ''}`;
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

function date(value, options = {}, needs = 'any', defaults = 'all') {
  if (Number.isNaN(value.getTime())) return 'Invalid Date';
  let wanted = { ...options };
  if (options.dateStyle || options.timeStyle)
    wanted = { ...wanted, ...STYLES.date[options.dateStyle], ...STYLES.time[options.timeStyle] };
  const hasDate = wanted.weekday || wanted.year || wanted.month || wanted.day;
  const hasTime = wanted.hour || wanted.minute || wanted.second || wanted.fractionalSecondDigits;
  if (!((hasDate && needs !== 'time') || (hasTime && needs !== 'date'))) {
    if (defaults !== 'time') Object.assign(wanted, { year: 'numeric', month: 'numeric', day: 'numeric' });
    if (defaults !== 'date') Object.assign(wanted, { hour: 'numeric', minute: '2-digit', second: '2-digit' });
  }
  const utc = !wanted.timeZone || /^(utc|gmt|etc\/utc)$/i.test(wanted.timeZone);
  const at =
    wanted.timeZone && utc ? new Date(value.getTime()) : new Date(value.getTime() - value.getTimezoneOffset() * 60000);
  const dateText = datePart(at, wanted);
  const timeText = timePart(at, wanted);
  if (dateText && timeText)
    return `${dateText}${options.dateStyle === 'full' || options.dateStyle === 'long' ? ' at ' : ', '}${timeText}`;
  return dateText || timeText;
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
      hour === '2-digit' || (!twelve && hour === 'numeric' && (minute || second))
        ? two(hour12 === false && hourCycle === undefined && hours === 0 ? 24 : shown)
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
    this.#options = options;
    this.format = (value) =>
      typeof value === 'bigint' ? grouped(String(value)) : number(Number(value), this.#options);
    Object.defineProperty(this, 'format', { enumerable: false });
  }
  formatToParts(value) {
    return [{ type: 'literal', value: this.format(value) }];
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

class DateTimeFormat {
  #options;
  constructor(locales, options = {}) {
    const { timeZone } = options ?? {};
    if (timeZone !== undefined && !/^(utc|gmt|etc\/utc|etc\/gmt)$/i.test(timeZone)) {
      if (!/^[A-Za-z_]+(\/[A-Za-z_+\-0-9]+)*$|^[+-]\d\d:?\d\d$/.test(timeZone))
        throw new RangeError(`Invalid time zone specified: ${timeZone}`);
      throw require('internal/errors').unsupported(`The time zone ${timeZone}`);
    }
    this.#options = options;
    this.format = (value) => date(value === undefined ? new Date() : new Date(value), this.#options, 'any', 'date');
    Object.defineProperty(this, 'format', { enumerable: false });
  }
  formatToParts(value) {
    return [{ type: 'literal', value: this.format(value) }];
  }
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

class ListFormat {
  #word;
  constructor(locales, options) { this.#word = options?.type === 'disjunction' ? 'or' : 'and'; }
  format(list) {
    const items = [...list];
    if (items.length < 3) return items.join(` ${this.#word} `);
    return `${items.slice(0, -1).join(', ')}, ${this.#word} ${items.at(-1)}`;
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
    value: (list) => [list ?? []].flat(),
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
    return number(Number(this), options);
  });
  method(BigInt.prototype, 'toLocaleString', function () {
    return String(this).replace(/\d+/, grouped);
  });
  method(Date.prototype, 'toLocaleString', function (locales, options) {
    return date(this, options, 'any', 'all');
  });
  method(Date.prototype, 'toLocaleDateString', function (locales, options) {
    return date(this, options, 'date', 'date');
  });
  method(Date.prototype, 'toLocaleTimeString', function (locales, options) {
    return date(this, options, 'time', 'time');
  });
  method(String.prototype, 'localeCompare', function (other, locales, options) {
    return compare(this, other, options);
  });
}

module.exports = { setUp };
