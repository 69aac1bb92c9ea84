module.exports = {
  isSea: () => false,
  getAsset() {
    throw require('internal/errors').unsupported('Single executable applications');
  },
};
