// Dates and numbers in other languages than English as spoken in the United States: the forms without words.

/// [date, time, what is between them, sign between thousands, sign before a fraction, how many digits there must be before
/// the first sign between thousands, sign of less than nothing]. Letters twice, or large, have two digits.
const LOCALES = {
  'en-GB': ['D/M/y', 'HH:MM:SS', ', ', ',', '.', 1, '-'],
  'en-CA': ['y-M-D', 'h:MM:SS a.m.', ', ', ',', '.', 1, '-'],
  'en-AU': ['D/M/y', 'h:MM:SS am', ', ', ',', '.', 1, '-'],
  'en-NZ': ['d/M/y', 'h:MM:SS am', ', ', ',', '.', 1, '-'],
  'en-IE': ['d/m/y', 'HH:MM:SS', ', ', ',', '.', 1, '-'],
  de: ['d.m.y', 'HH:MM:SS', ', ', '.', ',', 1, '-'],
  'de-AT': ['d.m.y', 'HH:MM:SS', ', ', '\u00a0', ',', 1, '-'],
  'de-CH': ['d.m.y', 'HH:MM:SS', ', ', '\'', '.', 1, '-'],
  fr: ['D/M/y', 'HH:MM:SS', ' ', '\u202f', ',', 1, '-'],
  'fr-CH': ['D.M.y', 'HH:MM:SS', ' ', '\u202f', ',', 1, '-'],
  es: ['d/m/y', 'H:MM:SS', ', ', '.', ',', 2, '-'],
  'es-MX': ['d/m/y', 'h:MM:SS a.m.', ', ', ',', '.', 1, '-'],
  it: ['D/M/y', 'HH:MM:SS', ', ', '.', ',', 2, '-'],
  pt: ['D/M/y', 'HH:MM:SS', ', ', '.', ',', 1, '-'],
  'pt-PT': ['D/M/y', 'HH:MM:SS', ', ', '\u00a0', ',', 2, '-'],
  nl: ['d-m-y', 'HH:MM:SS', ', ', '.', ',', 1, '-'],
  'nl-BE': ['d/m/y', 'HH:MM:SS', ', ', '.', ',', 1, '-'],
  sv: ['y-M-D', 'HH:MM:SS', ' ', '\u00a0', ',', 1, '\u2212'],
  da: ['d.m.y', 'HH.MM.SS', ', ', '.', ',', 1, '-'],
  nb: ['d.m.y', 'HH:MM:SS', ', ', '\u00a0', ',', 1, '\u2212'],
  no: ['d.m.y', 'HH:MM:SS', ', ', '\u00a0', ',', 1, '\u2212'],
  fi: ['d.m.y', 'H.MM.SS', ' klo ', '\u00a0', ',', 1, '\u2212'],
  pl: ['d.M.y', 'HH:MM:SS', ', ', '\u00a0', ',', 2, '-'],
  cs: ['d. m. y', 'H:MM:SS', ' ', '\u00a0', ',', 1, '-'],
  ru: ['D.M.y', 'HH:MM:SS', ', ', '\u00a0', ',', 1, '-'],
  uk: ['D.M.y', 'HH:MM:SS', ', ', '\u00a0', ',', 1, '-'],
  tr: ['D.M.y', 'HH:MM:SS', ' ', '.', ',', 1, '-'],
  ja: ['y/m/d', 'H:MM:SS', ' ', ',', '.', 1, '-'],
  zh: ['y/m/d', 'HH:MM:SS', ' ', ',', '.', 1, '-'],
  id: ['d/m/y', 'HH.MM.SS', ', ', '.', ',', 1, '-'],
  hu: ['y. M. D.', 'H:MM:SS', ' ', '\u00a0', ',', 2, '-'],
  ro: ['D.M.y', 'HH:MM:SS', ', ', '.', ',', 1, '-'],
};
const two = (value) => String(value).padStart(2, '0');

const refuse = (what) => require('internal/errors').unsupported(what);

/// The rules for a list of languages; undefined for English of the United States.
function rulesOf(locales) {
  const [first] = Array.isArray(locales) ? locales : [locales];
  if (first === undefined) return undefined;
  const tag = typeof first === 'object' && first !== null ? `${first}` : first;
  if (typeof tag !== 'string' || !/^[a-zA-Z]{2,8}(-[a-zA-Z0-9]{1,8})*$/.test(tag))
    throw new RangeError(`Incorrect locale information provided`);
  const [language, ...rest] = tag.split('-');
  const region = rest.find((part) => /^([a-zA-Z]{2}|\d{3})$/.test(part))?.toUpperCase();
  const name = language.toLowerCase();
  if (name === 'en' && (region === undefined || region === 'US')) return undefined;
  const own = LOCALES[region ? `${name}-${region}` : name];
  const [rules] = [own, HOME[name] === region ? LOCALES[name] : undefined].filter(Boolean);
  if (!rules) throw refuse(`The language ${tag}`);
  return { tag, rules };
}

/// The regions whose rules are those of their language.
const HOME = {
  de: 'DE', fr: 'FR', es: 'ES', it: 'IT', pt: 'BR', nl: 'NL', sv: 'SE', da: 'DK', nb: 'NO', no: 'NO', fi: 'FI',
  pl: 'PL', cs: 'CZ', ru: 'RU', uk: 'UA', tr: 'TR', ja: 'JP', zh: 'CN', id: 'ID', hu: 'HU', ro: 'RO',
};

/// A date, a time or both, at an instant that is moved to its zone.
function dateIn({ tag, rules }, at, options, defaults) {
  const others = Object.keys(options ?? {}).filter((key) => options[key] !== undefined && key !== 'timeZone');
  if (others.length) throw refuse(`A date in the language ${tag} with the option ${others[0]}`);
  const [date, time, between] = rules;
  const hours = at.getUTCHours();
  const day = date.replace(/[yMDmd]/g, (letter) => ({
    y: String(at.getUTCFullYear()), M: two(at.getUTCMonth() + 1), m: String(at.getUTCMonth() + 1),
    D: two(at.getUTCDate()), d: String(at.getUTCDate()),
  })[letter]);
  const clock = time
    .replace(/HH|H|h|MM|SS/g, (letters) => ({
      HH: two(hours), H: String(hours), h: String(hours % 12 || 12),
      MM: two(at.getUTCMinutes()), SS: two(at.getUTCSeconds()),
    })[letters])
    .replace(/a(?=\.?m)/, hours < 12 ? 'a' : 'p');
  if (defaults === 'date') return day;
  return defaults === 'time' ? clock : `${day}${between}${clock}`;
}

const NO_NUMBER = { fi: 'ep\u00e4luku', ru: '\u043d\u0435\u00a0\u0447\u0438\u0441\u043b\u043e' };
const PLAIN = [
  'style', 'useGrouping', 'minimumIntegerDigits', 'minimumFractionDigits', 'maximumFractionDigits',
  'minimumSignificantDigits', 'maximumSignificantDigits', 'notation', 'signDisplay',
];

/// A number that is written in English, with the signs of another language.
function numberIn({ tag, rules }, text, options) {
  const others = Object.keys(options ?? {}).filter((key) => options[key] !== undefined && !PLAIN.includes(key));
  const { style = 'decimal', notation = 'standard' } = options ?? {};
  if (style !== 'decimal') others.push('style');
  if (notation !== 'standard') others.push('notation');
  if (others.length) throw refuse(`A number in the language ${tag} with the option ${others[0]}`);
  if (text === 'NaN') return NO_NUMBER[tag.split('-')[0].toLowerCase()] ?? text;
  const [, , , group, decimal, least, minus] = rules;
  const digits = /\d[\d,]*/.exec(text)?.[0].replaceAll(',', '').length ?? 0;
  return text.replace(/[,.-]/g, (sign) => {
    if (sign === ',') return digits < 3 + least ? '' : group;
    return sign === '.' ? decimal : minus;
  });
}

module.exports = { rulesOf, dateIn, numberIn };
