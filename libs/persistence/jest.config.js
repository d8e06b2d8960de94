module.exports = require('../../jest.base.js')('persistence', __dirname);
