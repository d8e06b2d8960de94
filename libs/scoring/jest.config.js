module.exports = require('../../jest.base.js')('scoring', __dirname);
