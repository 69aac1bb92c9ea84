module.exports = require('path').win32;
