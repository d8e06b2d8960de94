/**
 * What makes a verdict doubtful without changing it. The official rules let each of these pass; a person should look.
 *
 * - `forged_exit_marker`: an exit-code marker that the eval script did not print.
 * - `unknown_status`: a test's status is none of the five, which takes the test out of the count.
 * - `bad_code_in_log`: the log holds a string that makes the harness drop it; a patch or test can print one.
 * - `markers_out_of_order`, `markers_repeated`: the markers around the tests' output are not the eval script's alone.
 * - `test_configuration_in_patch`: the patch changes conftest.py or another file that steers the tests.
 * - `tests_in_patch`: the patch adds tests.
 */
export const SUSPICIONS = [
  'forged_exit_marker',
  'unknown_status',
  'bad_code_in_log',
  'markers_out_of_order',
  'markers_repeated',
  'test_configuration_in_patch',
  'tests_in_patch',
] as const;
export type Suspicion = (typeof SUSPICIONS)[number];
