module.exports = require('../../jest.base.js')('cli', __dirname);
