module.exports = require('../../jest.base.js')('executor', __dirname);
