module.exports = require('../../jest.base.js')('release-policy', __dirname);
