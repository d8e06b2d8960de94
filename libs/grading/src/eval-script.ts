import { END_MARKER, EXIT_CODE_MARKER } from './log/markers';
import { strip } from './text/python-space';

const PREAMBLE = ['#!/bin/bash', 'set -uxo pipefail'];
const VARIABLE = 'SWEBENCH_TEST_EXIT_CODE';

/**
 * The script that harness 5.0.2 runs for a row's `eval_script`: the preamble's lines are taken out wherever they stand
 * and put on top, and around the first line with the end marker the tests' own exit code is kept and printed. A script
 * without that marker is left without an exit code.
 */
export function prepareEvalScript(script: string): string {
  const lines = strip(script)
    .split('\n')
    .filter((line) => !PREAMBLE.includes(line));
  const end = lines.findIndex((line) => line.includes(END_MARKER));
  if (end !== -1) {
    lines.splice(end, 0, `${VARIABLE}=$?`);
    lines.splice(end + 2, 0, `echo "${EXIT_CODE_MARKER}: $${VARIABLE}"`);
  }
  return [...PREAMBLE, ...lines, ''].join('\n');
}
