// Where the engine differs from V8 in what programs see, and can be adapted.

function adapt() {
  // The stack is a property of each exception.
  delete Error.prototype.stack;
  delete Function.prototype.fileName;
  delete Function.prototype.lineNumber;
  delete Function.prototype.columnNumber;
  delete globalThis.navigator;
  delete globalThis.InternalError;
  const random = () => native.randomNumber();
  Object.defineProperty(random, 'name', { value: 'random' });
  Object.defineProperty(Math, 'random', { value: random, writable: true, configurable: true });
  globalThis.gc = undefined;
  delete globalThis.gc;
  adaptJson();
  adaptDates();
  require('internal/call_sites').setUp();
}

/// The zone's name follows its offset; only that of UTC is known here.
function adaptDates() {
  for (const name of ['toString', 'toTimeString']) {
    const own = Date.prototype[name];
    const method = {
      [name]() {
        return own.call(this).replace(/ GMT\+0000$/, '$& (Coordinated Universal Time)');
      },
    }[name];
    Object.defineProperty(Date.prototype, name, {
      value: method,
      writable: true,
      configurable: true,
      enumerable: false,
    });
  }
}

function adaptJson() {
  const { parse, stringify } = JSON;
  const own = {
    parse(text, reviver) {
      try {
        return parse(text, reviver);
      } catch (error) {
        if (!(error instanceof SyntaxError) || (typeof reviver === 'function' && isJson(parse, text))) throw error;
        const { message, at } = require('internal/json_error')(String(text));
        const better = new SyntaxError(message);
        require('internal/syntax').place(better, '<anonymous_script>', String(text), at ?? String(text).length);
        Error.captureStackTrace(better, own.parse);
        better.stack = better.stack.replace('\n', '\n    at JSON.parse (<anonymous>)\n');
        throw better;
      }
    },
    stringify(value, replacer, space) {
      try {
        return stringify(value, replacer, space);
      } catch (error) {
        if (!(error instanceof TypeError) || !/circular structure/.test(error.message)) throw error;
        const better = new TypeError(circularMessage(value));
        Error.captureStackTrace(better, own.stringify);
        better.stack = better.stack.replace(/\n(?= {4}at )/, '\n    at JSON.stringify (<anonymous>)\n');
        throw better;
      }
    },
  };
  for (const name of ['parse', 'stringify'])
    Object.defineProperty(JSON, name, { value: own[name], writable: true, configurable: true });
}

function isJson(parse, text) {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

/// Finds the circle, and tells it as V8 does.
function circularMessage(root) {
  const path = [{ value: root, keys: Object.keys(root) }];
  while (path.length) {
    const top = path.at(-1);
    const key = top.keys.shift();
    if (key === undefined) {
      path.pop();
      continue;
    }
    let value;
    try {
      value = top.value[key];
      if (value !== null && typeof value === 'object' && typeof value.toJSON === 'function') value = value.toJSON(key);
    } catch {
      continue;
    }
    if (value === null || typeof value !== 'object') continue;
    const start = path.findIndex((item) => item.value === value);
    if (start >= 0) {
      const name = (object) => object.constructor?.name ?? 'Object';
      const property = (of, which) => (Array.isArray(of) ? `index ${which}` : `property '${which}'`);
      const circle = path.slice(start);
      let text = `Converting circular structure to JSON\n    --> starting at object with constructor '${name(value)}'`;
      if (circle.length > 1) {
        text += `\n    |     ${property(value, circle[1].key)} -> object with constructor '${name(circle[1].value)}'`;
        if (circle.length > 3) text += '\n    |     ...';
        if (circle.length > 2)
          text += `\n    |     ${property(circle.at(-2).value, circle.at(-1).key)} -> object with constructor '${name(circle.at(-1).value)}'`;
      }
      return `${text}\n    --- ${property(top.value, key)} closes the circle`;
    }
    path.push({ value, key, keys: Object.keys(value) });
    if (path.length > 10000) break;
  }
  return 'Converting circular structure to JSON';
}

module.exports = { adapt };
