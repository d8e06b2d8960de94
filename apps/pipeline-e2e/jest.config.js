module.exports = require('../../jest.base.js')('pipeline-e2e', __dirname);
