module.exports = require('../../jest.base.js')('testing', __dirname);
