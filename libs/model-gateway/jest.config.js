module.exports = require('../../jest.base.js')('model-gateway', __dirname);
