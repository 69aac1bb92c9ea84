// Stacks whose making reads other stacks.

const named = new Error('outer');
Object.defineProperty(Error.prototype, 'name', { get: () => (new Error('inner').stack, 'Named'), configurable: true });
console.log(typeof named.stack, typeof new Error('y').stack);
Object.defineProperty(Error.prototype, 'name', { value: 'Error', writable: true, configurable: true });
Error.prepareStackTrace = (error, sites) => `${error.message}, ${Array.isArray(sites)}, ${typeof new Error('plain').stack}`;
console.log(new Error('made').stack);
Error.prepareStackTrace = () => { throw new RangeError('not made'); };
try {
  console.log(new Error('x').stack);
} catch (error) {
  console.log(error.message);
}
Error.prepareStackTrace = undefined;
console.log(new Error('again').stack.split('\n')[0]);
