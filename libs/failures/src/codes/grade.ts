import type { FailureEntries } from './failure-entry';

/** What leaves a patch without a verdict. */
export const GRADE_CODES = {
  patch_apply_failed: {
    blame: ['infra', 'task'],
    meaning:
      "The patch does not apply to a fresh tree: our fault for a trial's patch, the task's for a submitted prediction.",
    operator:
      "For a prediction, correct its patch; for a trial, check that the task's image is the same in trial and grade.",
  },
  patch_apply_timed_out: {
    blame: ['infra', 'task'],
    meaning:
      "The patch was not applied within its bound: our fault for a trial's patch, the task's for a submitted prediction.",
    operator: 'Check the load and the disk of the grader and its engine; a prediction is too large for its bound.',
  },
  tests_timed_out: {
    blame: ['task'],
    meaning: 'The tests ran into their time limit.',
    operator: "Nothing at first; raise the limit of the task's tests if it comes often.",
  },
  tests_out_of_memory: {
    blame: ['infra'],
    meaning: 'The tests used up the memory of their sandbox.',
    operator: 'Raise the memory of the grading sandbox.',
  },
  tests_killed: {
    blame: ['infra'],
    meaning: 'The tests were killed from outside.',
    operator: 'Check the engine, and whether something else stops containers.',
  },
  tests_exit_nonzero: {
    blame: ['task'],
    meaning: 'The tests left full reward and ended with an error all the same.',
    operator: "Correct the task's test script.",
  },
  log_too_large: {
    blame: ['task'],
    meaning: 'The tests printed more than a log may hold.',
    operator: "Make the task's tests less talkative.",
  },
  log_parser_failed: {
    blame: ['task'],
    meaning: 'The log of the tests cannot be read by the parser of its repository.',
    operator: 'Read the log; the tests broke, or the parser does not know their format.',
  },
  reward_missing: {
    blame: ['task'],
    meaning: 'The tests left no reward.',
    operator: 'Read the log of the tests, and correct the task.',
  },
  reward_two_files: {
    blame: ['task'],
    meaning: 'The tests left two files with a reward.',
    operator: 'Make the task write one of reward.txt and reward.json.',
  },
  reward_not_a_file: {
    blame: ['task'],
    meaning: 'The reward is no plain file.',
    operator: 'Make the task write a plain file.',
  },
  reward_too_large: {
    blame: ['task'],
    meaning: 'The file with the reward is too large to be one.',
    operator: 'Make the task write the number only.',
  },
  reward_empty: {
    blame: ['task'],
    meaning: 'The file with the reward is empty.',
    operator: 'Make the task write a number.',
  },
  reward_not_a_number: {
    blame: ['task'],
    meaning: 'The file with the reward holds no number.',
    operator: 'Make the task write a number.',
  },
  reward_out_of_range: {
    blame: ['task'],
    meaning: 'The reward is not between 0 and 1.',
    operator: 'Make the task write a number from 0 to 1.',
  },
  folders_not_emptied: {
    blame: ['infra'],
    meaning: 'What the agent left in the folders of the tests cannot be removed.',
    operator: "Read the output in the message; check the user of the task's image.",
  },
  patch_not_put_back: {
    blame: ['infra'],
    meaning: 'The patched files cannot be put into the sandbox.',
    operator: "Read the output in the message; check the user of the task's image.",
  },
  patch_step_killed: {
    blame: ['infra'],
    meaning: 'A command that prepares the tests was killed.',
    operator: 'Check the memory of the grading sandbox, and the engine.',
  },
  image_without_testbed: {
    blame: ['task'],
    meaning: 'The image of a SWE-bench instance lacks the folder of its repository.',
    operator: 'Check that the row names the right image.',
  },
  grader_version_differs: {
    blame: ['infra'],
    meaning: 'The run was frozen with another version of the grader.',
    operator: 'Run a grader of that version, or submit the run again.',
  },
} as const satisfies FailureEntries;
