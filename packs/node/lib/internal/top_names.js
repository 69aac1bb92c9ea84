// The names that a text declares at its top.

const TOKEN =
  /\s+|\/\/[^\n]*|\/\*[^]*?\*\/|'(?:\\[^]|[^'\\\n])*'|"(?:\\[^]|[^"\\\n])*"|[\w$\x80-\uffff]+|=>|\+\+|--|[^]/y;
const PATTERN = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/\w*/y;
const TEMPLATE = /(?:\\[^]|\$(?!\{)|[^`\\$])*(?:`|\$\{)/y;
const NAME = /^[A-Za-z_$\x80-\uffff][\w$\x80-\uffff]*$/;
const BEFORE_VALUE = new Set(
  ('return typeof void new delete in of instanceof case do else throw yield await extends default ' +
    'function class let const var').split(' '),
);

/// Whether a value ends with a token: what follows divides it, or is a statement of its own.
const endsValue = (token) => /^[\w$\x80-\uffff'"`)\]}]|^\+\+$|^--$/.test(token) && !BEFORE_VALUE.has(token);

/// Each token of a text but blanks and comments, and how deep in brackets it is.
function* tokensOf(text) {
  const open = [];
  let before = ';';
  const read = (expression, at) => {
    expression.lastIndex = at;
    return expression.exec(text)?.[0] ?? text[at];
  };
  for (let at = 0; at < text.length; ) {
    let token = read(TOKEN, at);
    const isBlank = /^\s|^\/[/*]/.test(token);
    if (token === '/' && !endsValue(before)) token = read(PATTERN, at);
    const isTemplate = token === '`' || (token === '}' && open.at(-1) === '`');
    if (isTemplate && token === '}') open.pop();
    if (isTemplate) token += read(TEMPLATE, at + 1);
    at += token.length;
    if (isBlank) continue;
    if (/^[)\]}]$/.test(token)) open.pop();
    yield { token, before, depth: open.length };
    if (/^[([{]$/.test(token)) open.push(token);
    if (isTemplate && token.endsWith('${')) open.push('`');
    before = isTemplate && token.endsWith('`') ? '`' : token;
  }
}

const startsStatement = (before) => before === ';' || endsValue(before);

/// Names of functions, of variables, and of `let`, `const` and classes.
function topNames(text) {
  const names = { function: new Set(), var: new Set(), lexical: new Set() };
  let kind; // what is being declared
  let part; // a name in a pattern, or a key
  for (const { token, before, depth } of tokensOf(text)) {
    if (part !== undefined && token !== ':') names[kind.of].add(part);
    part = undefined;
    if (depth > 0) {
      if (kind?.isPattern && NAME.test(token) && /^[{[,:.]$/.test(before)) part = token;
      continue;
    }
    if (token === 'function' || token === 'class') {
      kind = startsStatement(before) ? { of: token === 'class' ? 'lexical' : 'function', isOne: true } : undefined;
    } else if (token === 'var' || token === 'let' || token === 'const') {
      kind = { of: token === 'var' ? 'var' : 'lexical' };
    } else if (token === ';') kind = undefined;
    else if (kind && NAME.test(token) && (kind.isOne || /^(var|let|const|,)$/.test(before))) {
      names[kind.of].add(token);
      if (kind.isOne) kind = undefined;
    } else if (kind && /^[{[]$/.test(token)) kind.isPattern = /^(var|let|const|,)$/.test(before);
    else if (kind && token === '=') kind.isPattern = false;
  }
  return names;
}

module.exports = topNames;
