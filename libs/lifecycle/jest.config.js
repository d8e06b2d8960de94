module.exports = require('../../jest.base.js')('lifecycle', __dirname);
