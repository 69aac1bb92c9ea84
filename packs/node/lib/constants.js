// All constants in one object, as old programs expect them.

const { constants } = require('internal/constants');
const os = require('os');

module.exports = { ...os.constants.errno, ...os.constants.signals, ...os.constants.priority, ...constants };
