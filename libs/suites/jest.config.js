module.exports = require('../../jest.base.js')('suites', __dirname);
