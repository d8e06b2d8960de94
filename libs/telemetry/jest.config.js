module.exports = require('../../jest.base.js')('telemetry', __dirname);
