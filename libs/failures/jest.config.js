module.exports = require('../../jest.base.js')('failures', __dirname);
