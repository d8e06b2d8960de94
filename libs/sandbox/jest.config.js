module.exports = require('../../jest.base.js')('sandbox', __dirname);
