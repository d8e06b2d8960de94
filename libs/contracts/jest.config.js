module.exports = require('../../jest.base.js')('contracts', __dirname);
