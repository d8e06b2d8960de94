module.exports = require('../../jest.base.js')('publisher', __dirname);
