// The names of reporters.

module.exports = {
  spec: class spec {},
  tap: class tap {},
  dot: class dot {},
  junit: class junit {},
  lcov: class lcov {},
};
