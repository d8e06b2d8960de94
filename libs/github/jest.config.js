module.exports = require('../../jest.base.js')('github', __dirname);
