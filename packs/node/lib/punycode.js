// Punycode, from RFC 3492.

const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;

function adapt(delta, count, first) {
  delta = first ? Math.floor(delta / 700) : delta >> 1;
  delta += Math.floor(delta / count);
  let k = 0;
  for (; delta > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) delta = Math.floor(delta / (BASE - T_MIN));
  return Math.floor(k + ((BASE - T_MIN + 1) * delta) / (delta + 38));
}

const threshold = (k, bias) => Math.min(T_MAX, Math.max(T_MIN, k - bias));
const digit = (value) => String.fromCharCode(value < 26 ? value + 97 : value + 22);

function decode(input) {
  const cut = Math.max(0, input.lastIndexOf('-'));
  const out = Array.from(input.slice(0, cut), (char) => {
    if (char.charCodeAt(0) >= 128) throw new RangeError('Illegal input >= 0x80 (not a basic code point)');
    return char.charCodeAt(0);
  });
  let n = 128;
  let i = 0;
  let bias = 72;
  for (let at = cut > 0 ? cut + 1 : 0; at < input.length;) {
    const before = i;
    for (let weight = 1, k = BASE; ; k += BASE) {
      if (at >= input.length) throw new RangeError('Invalid input');
      const char = input.charCodeAt(at++);
      const value =
        char >= 48 && char < 58 ? char - 22 : (char | 32) >= 97 && (char | 32) < 123 ? (char | 32) - 97 : BASE;
      if (value >= BASE) throw new RangeError('Invalid input');
      i += value * weight;
      const t = threshold(k, bias);
      if (value < t) break;
      weight *= BASE - t;
    }
    bias = adapt(i - before, out.length + 1, before === 0);
    n += Math.floor(i / (out.length + 1));
    i %= out.length + 1;
    out.splice(i++, 0, n);
  }
  return String.fromCodePoint(...out);
}

function encode(input) {
  const points = Array.from(input, (char) => char.codePointAt(0));
  let out = points.filter((point) => point < 128).map((point) => String.fromCharCode(point)).join('');
  const basic = out.length;
  let handled = basic;
  if (basic) out += '-';
  let n = 128;
  let delta = 0;
  let bias = 72;
  while (handled < points.length) {
    const next = Math.min(...points.filter((point) => point >= n));
    delta += (next - n) * (handled + 1);
    n = next;
    for (const point of points) {
      if (point < n) delta++;
      if (point !== n) continue;
      let q = delta;
      for (let k = BASE; ; k += BASE) {
        const t = threshold(k, bias);
        if (q < t) break;
        out += digit(t + ((q - t) % (BASE - t)));
        q = Math.floor((q - t) / (BASE - t));
      }
      out += digit(q);
      bias = adapt(delta, handled + 1, handled === basic);
      delta = 0;
      handled++;
    }
    delta++;
    n++;
  }
  return out;
}

const mapLabels = (domain, each) => {
  const at = domain.lastIndexOf('@');
  const head = domain.slice(0, at + 1);
  return head + domain.slice(at + 1).replace(/[\u3002\uff0e\uff61]/g, '.').split('.').map(each).join('.');
};

module.exports = {
  version: '2.1.0',
  ucs2: {
    decode: (text) => Array.from(text, (char) => char.codePointAt(0)),
    encode: (points) => String.fromCodePoint(...points),
  },
  decode,
  encode,
  // eslint-disable-next-line no-control-regex
  toASCII: (domain) => mapLabels(domain, (label) => (/[^\0-\x7f]/.test(label) ? `xn--${encode(label)}` : label)),
  toUnicode: (domain) =>
    mapLabels(domain, (label) => (label.startsWith('xn--') ? decode(label.slice(4).toLowerCase()) : label)),
};
