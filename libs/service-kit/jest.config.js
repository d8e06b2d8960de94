module.exports = require('../../jest.base.js')('service-kit', __dirname);
