module.exports = require('../../jest.base.js')('action', __dirname);
