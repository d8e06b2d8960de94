module.exports = require('../../jest.base.js')('agents', __dirname);
