// What `Error.prepareStackTrace` gets for each line of a stack: the engine's objects, with the other methods that V8's have.

const MODULE_BODY = 'Object.<anonymous>';

/// Objects of the engine are only seen by a function that is asked for a stack.
function prototypeOfSites() {
  Error.prepareStackTrace = (error, sites) => sites;
  const [site] = native.evaluate('new Error().stack', 'sites', 1);
  Error.prepareStackTrace = undefined;
  return Object.getPrototypeOf(site);
}

class CallSite {
  getScriptNameOrSourceURL() { return this.getFileName(); }
  getTypeName() { return this.isToplevel() ? null : 'Object'; }
  getMethodName() { return null; }
  getThis() { return undefined; }
  getEvalOrigin() { return undefined; }
  getPromiseIndex() { return null; }
  isAsync() { return false; }
  isEval() { return this.getFileName() === '<input>'; }
  isNative() { return false; }
  isPromiseAll() { return false; }
  /// The engine does not tell whose method a function is.
  isToplevel() { return !this.isConstructor() && nameOf(this) !== MODULE_BODY; }
  getFunctionName() {
    const name = nameOf(this);
    return name === MODULE_BODY || !name || name.startsWith('<') ? null : name;
  }
  toString() {
    const name = nameOf(this) || '';
    const shown = this.isConstructor() ? `new ${name || '<anonymous>'}` : name.replace(/^<.*/, '');
    const file = this.getFileName();
    const place = file === null ? '<anonymous>' : `${file}:${this.getLineNumber()}:${this.getColumnNumber()}`;
    return shown ? `${shown} (${place})` : place;
  }
}

let ownName;
const nameOf = (site) => ownName.call(site);

function setUp() {
  const prototype = prototypeOfSites();
  ownName = prototype.getFunctionName;
  delete prototype[Symbol.toStringTag];
  Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(CallSite.prototype));
}

module.exports = { setUp };
