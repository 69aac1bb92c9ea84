// Properties that are not shown with an object.

function hidden(object, name, value) {
  Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });
}

module.exports = { hidden };
