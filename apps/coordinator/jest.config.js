module.exports = require('../../jest.base.js')('coordinator', __dirname);
