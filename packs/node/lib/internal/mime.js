// Types of media, from the MIME Sniffing standard: `util.MIMEType`.

const { coded } = require('internal/errors');

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const QUOTED = /^[\t\x20-\x7e\x80-\xff]*$/;
const SPACE = /^[\t\n\r ]+|[\t\n\r ]+$/g;

const lower = (text) => text.replace(/[A-Z]/g, (char) => char.toLowerCase());

function invalid(what, text, at) {
  const place = at >= 0 ? ` at ${at}` : '';
  return coded(TypeError, 'ERR_INVALID_MIME_SYNTAX', `The MIME syntax for a ${what} in "${text}" is invalid${place}`);
}

class MIMEParams {
  #all = new Map();
  delete(name) { this.#all.delete(`${name}`); }
  get(name) { return this.#all.get(`${name}`) ?? null; }
  has(name) { return this.#all.has(`${name}`); }
  set(name, value) {
    name = `${name}`;
    value = `${value}`;
    if (!TOKEN.test(name)) throw invalid('parameter name', name, [...name].findIndex((char) => !TOKEN.test(char)));
    if (!QUOTED.test(value))
      throw invalid('parameter value', value, [...value].findIndex((char) => !QUOTED.test(char)));
    this.#all.set(name, value);
  }
  *entries() { yield* this.#all.entries(); }
  *keys() { yield* this.#all.keys(); }
  *values() { yield* this.#all.values(); }
  toString() {
    return [...this.#all]
      .map(([name, value]) => {
        const text = TOKEN.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`;
        return `${name}=${text}`;
      })
      .join(';');
  }
  toJSON() { return this.toString(); }

  /// Takes what is after the type; what has an error is left out.
  static read(text) {
    const made = new MIMEParams();
    let at = 0;
    while (at < text.length) {
      at++; // the semicolon
      while (/[\t\n\r ]/.test(text[at] ?? '')) at++;
      let end = at;
      while (end < text.length && text[end] !== ';' && text[end] !== '=') end++;
      const name = lower(text.slice(at, end));
      at = end;
      if (text[at] !== '=') continue;
      at++;
      let value;
      if (text[at] === '"') {
        value = '';
        at++;
        while (at < text.length && text[at] !== '"') {
          if (text[at] === '\\' && at + 1 < text.length) at++;
          value += text[at++];
        }
        while (at < text.length && text[at] !== ';') at++;
      } else {
        end = text.indexOf(';', at);
        if (end < 0) end = text.length;
        value = text.slice(at, end).replace(/[\t\n\r ]+$/, '');
        at = end;
        if (value === '') continue;
      }
      if (TOKEN.test(name) && QUOTED.test(value) && !made.#all.has(name)) made.#all.set(name, value);
    }
    return made;
  }
}
MIMEParams.prototype[Symbol.iterator] = MIMEParams.prototype.entries;

class MIMEType {
  #type;
  #subtype;
  #parameters;
  constructor(text) {
    const all = `${text}`.replace(SPACE, '');
    const slash = all.indexOf('/');
    const type = slash < 0 ? all : all.slice(0, slash);
    if (slash <= 0 || !TOKEN.test(type)) throw invalid('type', `${text}`, badPlace(type));
    const semicolon = all.indexOf(';', slash);
    const subtype = all.slice(slash + 1, semicolon < 0 ? undefined : semicolon).replace(SPACE, '');
    if (!TOKEN.test(subtype)) throw invalid('subtype', `${text}`, badPlace(subtype));
    this.#type = lower(type);
    this.#subtype = lower(subtype);
    this.#parameters = MIMEParams.read(semicolon < 0 ? '' : all.slice(semicolon));
  }
  get type() { return this.#type; }
  set type(value) {
    if (!TOKEN.test(`${value}`)) throw invalid('type', `${value}`, badPlace(`${value}`));
    this.#type = lower(`${value}`);
  }
  get subtype() { return this.#subtype; }
  set subtype(value) {
    if (!TOKEN.test(`${value}`)) throw invalid('subtype', `${value}`, badPlace(`${value}`));
    this.#subtype = lower(`${value}`);
  }
  get essence() { return `${this.#type}/${this.#subtype}`; }
  get params() { return this.#parameters; }
  toString() {
    const rest = this.#parameters.toString();
    return rest ? `${this.essence};${rest}` : this.essence;
  }
  toJSON() { return this.toString(); }
}

/// Where the first character is that no type may have; -1 if there is none.
function badPlace(text) {
  return [...text].findIndex((char) => !TOKEN.test(char));
}

module.exports = { MIMEType, MIMEParams };
