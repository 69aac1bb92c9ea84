// What `Error.prepareStackTrace` gets for each line of a stack.

const CONSTRUCTS = 1;
const STRICT = 2;
const WAITS = 4;
const COMBINES = 8;
const EVALUATED = /^eval at /;

let make;

class CallSite {
  /// What the engine knows of a frame; `hidden` says that its values are not shown.
  #frame;
  constructor(frame) {
    if (!make) throw new TypeError('Illegal constructor');
    this.#frame = frame;
  }
  #file() { return EVALUATED.test(this.#frame.file ?? '') ? undefined : this.#frame.file; }
  #number(value) { return value < 0 || this.#frame.flags & COMBINES ? null : value; }
  getColumnNumber() { return this.#number(this.#frame.column); }
  getEnclosingColumnNumber() { return this.#number(this.#frame.firstLine === 0 ? 1 : this.#frame.firstColumn); }
  getEnclosingLineNumber() { return this.#number(this.#frame.firstLine || 1); }
  getEvalOrigin() { return this.isEval() ? this.#frame.file : undefined; }
  getFileName() { return this.#file(); }
  getFunction() {
    const { hidden, flags, func } = this.#frame;
    return hidden || flags & WAITS || func?.name === '<eval>' ? undefined : func;
  }
  getFunctionName() { return this.#frame.name || null; }
  getLineNumber() { return this.#number(this.#frame.line); }
  getMethodName() { return this.isConstructor() ? null : this.#frame.method; }
  getPosition() {
    const text = native.sources[this.#frame.file];
    if (typeof text !== 'string') return 0;
    const before = text.split('\n').slice(0, this.#frame.line - 1);
    return before.reduce((sum, line) => sum + line.length + 1, this.#frame.column - 1);
  }
  getPromiseIndex() { return this.#frame.flags & COMBINES ? this.#frame.line : null; }
  getScriptNameOrSourceURL() { return this.#file(); }
  getScriptHash() { return ''; }
  getThis() {
    if (this.#frame.hidden || this.#frame.flags & WAITS) return undefined;
    return this.#frame.self ?? globalThis;
  }
  getTypeName() {
    if (this.isConstructor()) return null;
    return typeof this.#frame.self === 'function' ? 'Function' : this.#frame.type;
  }
  isAsync() { return (this.#frame.flags & WAITS) !== 0; }
  isConstructor() { return (this.#frame.flags & CONSTRUCTS) !== 0; }
  isEval() { return EVALUATED.test(this.#frame.file ?? ''); }
  isNative() { return false; }
  isPromiseAll() { return (this.#frame.flags & COMBINES) !== 0 && /\.all /.test(this.#frame.text); }
  isToplevel() { return !this.isConstructor() && this.#frame.type === null; }
  toString() { return this.#frame.text; }
}

/// Values of functions in strict mode, as built-in ones are, are not shown, nor those of what called them.
function sitesOf(frames) {
  let hidden = false;
  return frames.map(([func, self, flags, file, line, column, type, name, method, text, firstLine, firstColumn]) => {
    hidden ||= file === null || (flags & STRICT) !== 0;
    const frame = { func, self, flags, file, line, column, type, name, method, text, firstLine, firstColumn };
    return new CallSite(Object.assign(frame, { hidden }));
  });
}

function setUp() {
  make = true;
  native.onSites(sitesOf);
}

module.exports = { setUp };
