// Kinds of objects whose constructors can be called without `new`, and for an object that another constructor made.

const { hidden } = require('internal/hidden');

/// `init` gets the arguments, with the object as `this`; it calls the base's constructor itself.
function kind(name, Base, init, methods = {}) {
  const Kind = function(...args) {
    if (!(this instanceof Kind)) return new Kind(...args);
    init.apply(this, args);
  };
  Object.defineProperties(Kind, { name: { value: name }, length: { value: init.length } });
  Object.setPrototypeOf(Kind, Base);
  Object.setPrototypeOf(Kind.prototype, Base.prototype);
  for (const [key, method] of Object.entries(methods)) hidden(Kind.prototype, key, method);
  return Kind;
}

/// Adds a getter, and a setter if there is one, to a kind.
function getter(Kind, name, get, set, enumerable = false) {
  Object.defineProperty(Kind.prototype, name, { configurable: true, enumerable, get, set });
}

module.exports = { kind, getter };
