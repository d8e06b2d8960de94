module.exports = require('../../jest.base.js')('grader', __dirname);
