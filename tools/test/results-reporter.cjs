const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

/** Jest reporter: writes one project's totals to .assay/test-results/<name>.json, where `npm test` sums them. */
module.exports = class ResultsReporter {
  constructor(_globalConfig, options) {
    this.name = options.name;
  }

  onRunComplete(_contexts, results) {
    const dir = join(__dirname, '../../.assay/test-results');
    mkdirSync(dir, { recursive: true });
    const broken = results.testResults.filter((file) => file.testExecError).length;
    const totals = {
      passed: results.numPassedTests,
      failed: results.numFailedTests + broken,
      skipped: results.numPendingTests + results.numTodoTests,
    };
    writeFileSync(join(dir, `${this.name}.json`), JSON.stringify(totals));
  }
};
