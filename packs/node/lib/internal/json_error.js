// What is wrong with a text that is no JSON, in V8's words.

/// Reads the text as JSON until it is none; a list of open brackets takes the place of recursion.
function position(text) {
  let at = 0;
  const open = [];
  let expects = 'value';
  const space = () => { while (at < text.length && ' \t\n\r'.includes(text[at])) at++; };
  for (;;) {
    space();
    if (expects === 'end' && at >= text.length) return undefined;
    if (at >= text.length)
      return expects === 'keyOrEnd'
        ? { at, kind: 'keyOrEnd' }
        : expects === 'comma'
          ? { at, kind: open.at(-1) === '{' ? 'comma object' : 'comma array' }
          : { at, end: true };
    const char = text[at];
    if (expects === 'end') return { at, kind: 'after' };
    if (expects === 'value' || expects === 'valueOrEnd') {
      if (char === '{') {
        open.push('{');
        at++;
        expects = 'keyOrEnd';
        continue;
      }
      if (char === '[') {
        open.push('[');
        at++;
        expects = 'valueOrEnd';
        continue;
      }
      if (char === ']' && expects === 'valueOrEnd') {
        open.pop();
        at++;
      } else if (char === '"') {
        const bad = string();
        if (bad) return bad;
      } else if (/[-0-9]/.test(char)) {
        const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/.exec(text.slice(at, at + 400));
        if (!number) {
          return at + 1 >= text.length ? { at: at + 1, kind: 'minus' } : { at: at + 1, kind: 'minus' };
        }
        at += number[0].length;
        if (/[.eE]/.test(text[at] ?? ''))
          return {
            at: at + (/[eE]/.test(text[at]) && /[+-]/.test(text[at + 1] ?? '') ? 2 : 1),
            kind: text[at] === '.' ? 'fraction' : 'exponent',
          };
        if (/\d/.test(text[at] ?? '')) return { at, kind: 'number' };
      } else {
        const word = { t: 'true', f: 'false', n: 'null' }[char];
        if (!word) return { at, kind: 'token' };
        let i = 0;
        while (i < word.length && text[at + i] === word[i]) i++;
        if (i < word.length) return at + i >= text.length ? { at: at + i, end: true } : { at: at + i, kind: 'token' };
        at += word.length;
      }
    } else if (expects === 'key' || expects === 'keyOrEnd') {
      if (char === '}' && expects === 'keyOrEnd') {
        open.pop();
        at++;
      } else {
        if (char !== '"') return { at, kind: expects };
        const bad = string();
        if (bad) return bad;
        space();
        if (text[at] !== ':') return { at, kind: 'colon' };
        at++;
        expects = 'value';
        continue;
      }
    } else {
      if (char === ',') {
        at++;
        expects = open.at(-1) === '{' ? 'key' : 'value';
        continue;
      }
      if (char !== (open.at(-1) === '{' ? '}' : ']'))
        return { at, kind: open.at(-1) === '{' ? 'comma object' : 'comma array' };
      open.pop();
      at++;
    }
    expects = open.length ? 'comma' : 'end';
  }

  function string() {
    for (at++; ; at++) {
      if (at >= text.length) return { at, kind: 'open string' };
      const char = text[at];
      if (char === '"') {
        at++;
        return undefined;
      }
      if (char < ' ') return { at, kind: 'control' };
      if (char === '\\') {
        at++;
        if (at >= text.length) return { at, kind: 'open string' };
        if (text[at] === 'u') {
          if (!/^[0-9a-fA-F]{4}/.test(text.slice(at + 1, at + 5))) return { at: at + 1, kind: 'unicode' };
          at += 4;
        } else if (!'"\\/bfnrt'.includes(text[at])) return { at, kind: 'escape' };
      }
    }
  }
}

const WORDS = {
  'after': 'Unexpected non-whitespace character after JSON',
  'minus': 'No number after minus sign in JSON',
  'fraction': 'Unterminated fractional number in JSON',
  'exponent': 'Exponent part is missing a number in JSON',
  'number': 'Unexpected number in JSON',
  'keyOrEnd': "Expected property name or '}' in JSON",
  'key': 'Expected double-quoted property name in JSON',
  'colon': "Expected ':' after property name in JSON",
  'comma object': "Expected ',' or '}' after property value in JSON",
  'comma array': "Expected ',' or ']' after array element in JSON",
  'open string': 'Unterminated string in JSON',
  'control': 'Bad control character in string literal in JSON',
  'unicode': 'Bad Unicode escape in JSON',
  'escape': 'Bad escaped character in JSON',
};

module.exports = (text) => {
  const found = position(text);
  if (!found || found.end) return { message: 'Unexpected end of JSON input', at: found?.at };
  if (WORDS[found.kind]) return { message: `${WORDS[found.kind]} at position ${found.at}`, at: found.at };
  const token = text[found.at];
  if (text === 'undefined' || text === '[object Object]' || text === 'NaN' || text === 'Infinity')
    return { message: `"${text}" is not valid JSON` };
  let shown = text;
  if (text.length > 40) {
    const from = Math.max(0, found.at - 10);
    const to = Math.min(text.length, found.at + 10);
    shown = `${from > 0 ? '...' : ''}"${text.slice(from, to)}"${to < text.length ? '...' : ''}`;
    return { message: `Unexpected token '${token}', ${shown} is not valid JSON`, at: found.at };
  }
  return { message: `Unexpected token '${token}', "${shown}" is not valid JSON`, at: found.at };
};
