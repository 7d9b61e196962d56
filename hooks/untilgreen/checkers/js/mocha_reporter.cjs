// A reporter of mocha, 5 to 12: what jest writes with `--json`, into the file of `--reporter-options output=FILE`.
// Mocha's own one takes a file from 9.2 on, tells of no hook's file, and stops where the project says `bail`.
'use strict';
const fs = require('fs');
const path = require('path');

const around = (one) => (one && one.title ? [...around(one.parent), one.title] : one ? around(one.parent) : []);
const fileOf = (one) => (one ? one.file || fileOf(one.parent) : '') || '';

function lineOf(file, said) {
  // in the stack the paths are relative to where mocha runs
  const [, line] = (file && (said.split(`${path.basename(file)}:`)[1] || '').match(/^(\d+)/)) || [];
  return line ? { line: Number(line) } : null;
}

function everything(suite) {
  if (!suite) return;
  if (typeof suite.bail === 'function') suite.bail(false); // how many tests fail is what progress is made of
  (suite.suites || []).forEach(everything);
}

module.exports = function Report(runner, options) {
  const ended = new Map(); // a test may fail after it passed
  const keep = (test, status, error) => {
    const said = error && (error.stack || error.message || String(error));
    const file = fileOf(test);
    const known = {
      ancestorTitles: around(test.parent),
      title: test.title,
      status,
      failureMessages: said ? [said] : [],
      location: said ? lineOf(file, said) : null,
    };
    ended.set(test, { file, known });
  };
  everything(runner.suite);
  runner.on('pass', (test) => keep(test, 'passed'));
  runner.on('pending', (test) => keep(test, 'pending'));
  runner.on('fail', (test, error) => keep(test, 'failed', error));
  runner.on('end', () => {
    const suites = new Map();
    for (const { file, known } of ended.values()) suites.set(file, [...(suites.get(file) || []), known]);
    const testResults = [...suites].map(([name, assertionResults]) => ({
      name,
      status: assertionResults.some(({ status }) => status === 'failed') ? 'failed' : 'passed',
      assertionResults,
    }));
    const numFailedTests = [...ended.values()].filter(({ known }) => known.status === 'failed').length;
    const success = numFailedTests === 0;
    fs.writeFileSync(options.reporterOptions.output, JSON.stringify({ success, numFailedTests, testResults }));
  });
};
