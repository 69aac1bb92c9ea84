// Names of hosts with other characters than ASCII's: UTS #46 as the standard for URLs asks for it, with the rules of RFC 5892 for joiners
// and of RFC 5893 for text from right to left. Mappings follow from Unicode's normal forms and cases.

const punycode = require('punycode');

class Refused extends Error {}

const VIRAMA = new Set(
  ('94d 9cd a4d acd b4d bcd c4d ccd d3b d3c d4d dca e3a eba f84 1039 103a 1714 1715 1734 17d2 1a60 1b44 1baa 1bab 1bf2 1bf3 2d7f a806 a82c ' +
    'a8c4 a953 a9c0 aaf6 abed 10a3f 11046 11070 1107f 110b9 11133 11134 111c0 11235 112ea 1134d 113ce 113cf 113d0 11442 114c2 115bf 1163f ' +
    '116b6 1172b 11839 1193d 1193e 119e0 11a34 11a47 11a99 11c3f 11d44 11d45 11d97 11f41 11f42')
    .split(' ').map((hex) => String.fromCodePoint(Number.parseInt(hex, 16))),
);
const IGNORED = /[\u00ad\u034f\u180b-\u180d\u180f\u200b\u2060\u2064\ufe00-\ufe0f\ufeff\u{1bca0}-\u{1bca3}\u{e0100}-\u{e01ef}]/gu;
/// What no name may have, though some of it has a normal form.
const REFUSED =
  /[\u0340\u0341\u115f\u1160\u17b4\u17b5\u1806\u2024\u2061-\u2063\u2488-\u249b\u2ff0-\u2fff\u31ef\u3164\ufe12\uffa0\ufff9-\uffff\u{1f100}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u1680]|(?![\0-\x7f])\p{Cc}|(?![\u200c\u200d])\p{Cf}/u;

/// A character in the case that names are compared in.
function folded(char) {
  if (char === 'ẞ') return 'ss';
  if (/[\u13a0-\u13f5]/.test(char)) return char;
  if (/[\u13f8-\u13fd\uab70-\uabbf]/.test(char)) return char.toUpperCase();
  return char.toLowerCase();
}
const fold = (text) => Array.from(text.normalize('NFD').replaceAll('\u0345', 'ι'), folded).join('');

/// A name as it is compared.
function mapped(text) {
  const rest = text.replace(IGNORED, '');
  if (REFUSED.test(rest)) throw new Refused();
  return fold(fold(rest).normalize('NFKC')).normalize('NFKC').replace(IGNORED, '');
}

/// Arabic letters that join the one before only, or none. Other scripts that join are not known here.
const JOINS_BEFORE = /[\u0622-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb\u06cd\u06cf\u06d2\u06d3\u06d5\u06ee\u06ef]/;
const ARABIC = /[\u0620-\u064a\u066e\u066f\u0671-\u06d3\u06d5\u06ee\u06ef\u06fa-\u06fc\u06ff]/;
const JOINS_NONE = /[\u0621\u0674]/;

function checkJoiners(chars) {
  chars.forEach((char, i) => {
    if (char !== '\u200c' && char !== '\u200d') return;
    if (VIRAMA.has(chars[i - 1])) return;
    const before = chars.slice(0, i).findLast((other) => !/\p{Mn}/u.test(other));
    const after = chars.slice(i + 1).find((other) => !/\p{Mn}/u.test(other));
    if (char === '\u200d' || before === undefined || after === undefined) throw new Refused();
    for (const other of [before, after])
      if (/[\u0700-\u077f\u07c0-\u08ff\u1800-\u18af\ua840-\ua87f\u{10ac0}-\u{10fff}\u{1e900}-\u{1e95f}]/u.test(other))
        throw require('internal/errors').unsupported(`The joiner U+200C in a name of a host with ${other}`);
    const joins = (other) => ARABIC.test(other) && !JOINS_NONE.test(other);
    if (!joins(before) || JOINS_BEFORE.test(before) || !joins(after)) throw new Refused();
  });
}

/// The direction of a character, as RFC 5893 names it; R stands for AL, too, and ON for all that is allowed on both sides.
function direction(char) {
  if (/[0-9\u06f0-\u06f9]/.test(char)) return 'EN';
  if (/[\u0600-\u0605\u0660-\u0669\u066b\u066c\u06dd\u08e2\u{10d30}-\u{10d39}\u{10e60}-\u{10e7e}]/u.test(char)) return 'AN';
  if (/[\p{Mn}\p{Me}]/u.test(char)) return 'NSM';
  if (/[\u0590-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}\u200f]/u.test(char))
    return /[\p{L}\p{N}\p{Po}]/u.test(char) && !/[\u0606\u0607\u060c\u060e\u060f\u066a\u06de\u06e9\u07f6-\u07f9]/.test(char) ? 'R' : 'ON';
  return /[\p{L}\p{Mc}\p{Nl}]/u.test(char) ? 'L' : 'ON';
}

function checkDirections(labels) {
  const all = labels.map((label) => Array.from(label, direction));
  if (!all.some((directions) => directions.some((one) => one === 'R' || one === 'AN'))) return;
  for (const directions of all) {
    if (directions.length === 0) continue;
    const last = directions.findLast((one) => one !== 'NSM');
    const has = (one) => directions.includes(one);
    const fits =
      directions[0] === 'R'
        ? !has('L') && ['R', 'EN', 'AN'].includes(last) && !(has('EN') && has('AN'))
        : directions[0] === 'L' && !has('R') && !has('AN') && ['L', 'EN'].includes(last);
    if (!fits) throw new Refused();
  }
}

/// A label with its own characters.
function decoded(label) {
  if (!label.startsWith('xn--')) return label;
  let text;
  try {
    text = punycode.decode(label.slice(4));
  } catch {
    throw new Refused();
  }
  // eslint-disable-next-line no-control-regex
  if (!/[^\0-\x7f]/.test(text) || mapped(text) !== text || `xn--${punycode.encode(text)}` !== label) throw new Refused();
  return text;
}

/// The labels of a name, with their own characters; throws `Refused` if it is none.
function labelsOf(name) {
  const labels = mapped(name).replaceAll('\u3002', '.').split('.').map(decoded);
  for (const label of labels) {
    if (/^\p{M}/u.test(label)) throw new Refused();
    checkJoiners(Array.from(label));
  }
  checkDirections(labels);
  return labels;
}

/// The name in ASCII; undefined if it is no name.
function toASCII(name) {
  // eslint-disable-next-line no-control-regex
  if (/^[\0-\x7f]*$/.test(name) && !/xn--/i.test(name)) return name.toLowerCase();
  try {
    // eslint-disable-next-line no-control-regex
    return labelsOf(name).map((label) => (/[^\0-\x7f]/.test(label) ? `xn--${punycode.encode(label)}` : label)).join('.');
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

module.exports = { toASCII };
