// What AsyncLocalStorage holds, for the code that runs. The event loop and promises (the recipe's `edits.py`) take it along.

const current = native.context;
const replace = native.setContext;

/// Calls a function with what there was when it was given away.
function within(context, callback, self, args) {
  const before = current();
  if (before === context) return Reflect.apply(callback, self, args);
  replace(context);
  try {
    return Reflect.apply(callback, self, args);
  } finally {
    replace(before);
  }
}

module.exports = { current, replace, within };
