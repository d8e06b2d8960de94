import { prepareEvalScript } from './eval-script';

test('the tests’ exit code is kept before the end marker and printed after it', () => {
  const script = ['#!/bin/bash', 'set -uxo pipefail', 'pytest', ": '>>>>> End Test Output'", 'git checkout x', ''].join(
    '\n',
  );
  expect(prepareEvalScript(script)).toBe(
    [
      '#!/bin/bash',
      'set -uxo pipefail',
      'pytest',
      'SWEBENCH_TEST_EXIT_CODE=$?',
      ": '>>>>> End Test Output'",
      'echo ">>>>> Test Exit Code: $SWEBENCH_TEST_EXIT_CODE"',
      'git checkout x',
      '',
    ].join('\n'),
  );
});

test('the preamble’s lines are taken out wherever they stand, and put on top', () => {
  expect(prepareEvalScript('\n a\n#!/bin/bash\nb\nset -uxo pipefail \nset -uxo pipefail\n\n')).toBe(
    '#!/bin/bash\nset -uxo pipefail\na\nb\nset -uxo pipefail \n',
  );
});

test('only the first end marker counts, and a script without one gets no exit code', () => {
  const twice = prepareEvalScript('>>>>> End Test Output\n>>>>> End Test Output');
  expect(twice.match(/SWEBENCH_TEST_EXIT_CODE=/g)).toHaveLength(1);
  expect(prepareEvalScript('pytest')).toBe('#!/bin/bash\nset -uxo pipefail\npytest\n');
});
