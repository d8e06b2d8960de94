module.exports = require('../../jest.base.js')('evidence', __dirname);
