module.exports = require('../../jest.base.js')('checked-files', __dirname);
