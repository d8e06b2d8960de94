module.exports = require('../../jest.base.js')('dispatcher', __dirname);
