module.exports = require('../../jest.base.js')('messaging', __dirname);
