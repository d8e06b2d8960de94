module.exports = require('../../jest.base.js')('grading', __dirname);
