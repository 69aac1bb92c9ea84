// Kinds of streams whose constructors can be called without `new`, too.

/// `begin(stream, ...)` gets the arguments: it gives the stream what is its own, and returns the options for its base.
function streamKind(name, Base, begin, methods) {
  const Kind = function(...args) {
    if (!(this instanceof Kind)) return new Kind(...args);
    Base.call(this, begin(this, ...args));
  };
  Object.defineProperties(Kind, { name: { value: name }, length: { value: begin.length - 1 } });
  Object.setPrototypeOf(Kind, Base);
  Object.setPrototypeOf(Kind.prototype, Base.prototype);
  Object.assign(Kind.prototype, methods);
  return Kind;
}

module.exports = { streamKind };
