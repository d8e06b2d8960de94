module.exports = require('../../jest.base.js')('artifacts', __dirname);
