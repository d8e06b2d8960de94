const { mkdirSync, writeFileSync } = require('node:fs');
const { join, relative } = require('node:path');

const root = join(__dirname, '../..');

/** How much of a failure's text is repeated at the end of `npm test`; the whole stands where the test ran. */
const LINES_OF_A_FAILURE = 12;

/**
 * Jest reporter: writes one project's totals, and the names of what failed or was skipped, to
 * .assay/test-results/<name>.json, where `npm test` sums them.
 */
module.exports = class ResultsReporter {
  constructor(_globalConfig, options) {
    this.name = options.name;
  }

  onRunComplete(_contexts, results) {
    const dir = join(root, '.assay/test-results');
    mkdirSync(dir, { recursive: true });
    const broken = results.testResults.filter((file) => file.testExecError);
    const tests = results.testResults.flatMap((file) => file.testResults.map((test) => ({ file, test })));
    const report = {
      passed: results.numPassedTests,
      failed: results.numFailedTests + broken.length,
      skipped: results.numPendingTests + results.numTodoTests,
      failures: [
        ...broken.map((file) => `${place(file)}\n${excerpt(file.failureMessage ?? '')}`),
        ...tests
          .filter(({ test }) => test.status === 'failed')
          .map(({ file, test }) => `${place(file)}: ${test.fullName}\n${excerpt(test.failureMessages.join('\n'))}`),
      ],
      skips: tests
        .filter(({ test }) => test.status === 'pending' || test.status === 'todo')
        .map(({ file, test }) => `${place(file)}: ${test.fullName}`),
    };
    writeFileSync(join(dir, `${this.name}.json`), JSON.stringify(report));
  }
};

function place(file) {
  return relative(root, file.testFilePath);
}

function excerpt(text) {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines
    .slice(0, LINES_OF_A_FAILURE)
    .map((line) => `    ${line}`)
    .join('\n');
}
