// What AsyncLocalStorage holds, for the code that runs. Timers, ticks and promises take it along.

let context;

const current = () => context;
const replace = (other) => { context = other; };

module.exports = { current, replace };
