import type { FailureEntries } from './failure-entry';

/** What is wrong with a submission, a suite, a task, a set of predictions, or a run that cannot be frozen. */
export const DISPATCH_CODES = {
  suite_unknown: {
    blame: ['task'],
    meaning: 'No file in the folder of suites has this name.',
    operator: "Choose one of the names in the message, or add the suite's file.",
  },
  suite_invalid: {
    blame: ['task'],
    meaning: 'The suite file cannot be read, or says what no suite may say.',
    operator: 'Correct the fields that the message names, and submit again.',
  },
  policy_invalid: {
    blame: ['task'],
    meaning: 'The release policy says what no policy may say.',
    operator: 'Correct the fields that the message names, and start the service again.',
  },
  notifications_invalid: {
    blame: ['task'],
    meaning: 'The file of notification targets, a template or a secret that it names cannot be used.',
    operator: 'Correct the fields that the message names, and start the publisher again.',
  },
  suites_unreadable: {
    blame: ['infra'],
    meaning: 'The folder of suites cannot be read.',
    operator: 'Mount the folder that ASSAY_SUITES_DIR names, readable for the dispatcher.',
  },
  selection_invalid: {
    blame: ['task'],
    meaning: 'The slice, filter or sample that chooses instances is wrong.',
    operator: 'Correct the field that the message names, and submit again.',
  },
  instance_unknown: {
    blame: ['task'],
    meaning: 'The suite has no instance of this id.',
    operator: "List the suite's instances and choose one of them.",
  },
  limit_invalid: {
    blame: ['task'],
    meaning: 'The number of instances is outside of what this suite allows.',
    operator: 'Choose a number within the bounds in the message.',
  },
  limit_too_large: {
    blame: ['task'],
    meaning: 'More instances were asked for than the suite has.',
    operator: 'Ask for fewer, or for all by giving no limit.',
  },
  agent_unknown: {
    blame: ['task'],
    meaning: 'This build has no agent of this name.',
    operator: 'Choose one of the agents in the message, or deploy a build that has it.',
  },
  agent_version: {
    blame: ['task'],
    meaning:
      'The suite wants a version of its agent that this build does not have, or that the evaluated ref does not name.',
    operator: 'Leave the version out of the suite, deploy the build that has it, or submit a ref such as v1.2.3.',
  },
  agent_unfit: {
    blame: ['task'],
    meaning: 'An infrastructure check runs its own probe and no agent, and no other suite runs the probe.',
    operator: 'Leave the agent out, or choose a suite that measures agents.',
  },
  sandbox_unfit: {
    blame: ['task'],
    meaning: 'The suite cannot run in the sandbox that was chosen for it.',
    operator: 'Choose the docker sandbox, or the agents and tasks that the process sandbox can run.',
  },
  task_invalid: {
    blame: ['task'],
    meaning: 'The folder of a task is incomplete, or its task.toml is wrong.',
    operator: 'Correct the task where the message says.',
  },
  task_unsupported: {
    blame: ['task'],
    meaning: 'The task asks for something that Assay does not run.',
    operator: 'Leave the task out of the suite.',
  },
  row_invalid: {
    blame: ['task'],
    meaning: 'A row of a SWE-bench dataset breaks its format.',
    operator: 'Correct the dataset, or take the published one again.',
  },
  dataset_not_found: {
    blame: ['task'],
    meaning: "The dataset's files are not in its folder.",
    operator: 'Put the files that the message names into the folder.',
  },
  dataset_unknown: {
    blame: ['task'],
    meaning: 'This build does not know the dataset or its split.',
    operator: 'Choose one of the known names in the message.',
  },
  digests_invalid: {
    blame: ['task'],
    meaning: 'The file of image digests cannot be read, or is no map of digests.',
    operator: 'Correct the file that the message names.',
  },
  source_unreadable: {
    blame: ['task'],
    meaning: "The file with the dataset's rows cannot be read.",
    operator: 'Check that the file is whole, and JSON lines or Parquet.',
  },
  data_missing: {
    blame: ['task'],
    meaning: 'A file of data that the suite needs and the repository does not hold is not there.',
    operator: 'Put the file where the message says, and submit again; `ASSAY_DATA_DIR` is the folder of data.',
  },
  data_changed: {
    blame: ['task'],
    meaning: 'A file of data is not the one that the suite means: its sha256 differs.',
    operator: "Put the right file there, or correct the suite's `source.sha256`.",
  },
  archive_invalid: {
    blame: ['task'],
    meaning: 'The archive of tasks is damaged, or holds what no archive of tasks may hold.',
    operator: 'Take the published archive again; the message names the member that is wrong.',
  },
  images_unpinned: {
    blame: ['task'],
    meaning: 'Images of instances have no digest, and none can be had.',
    operator:
      'Correct the names in the message, or give a map of digests (`source.digests`), or say `unpinned: allow` in a suite that publishes no score.',
  },
  registry_unreachable: {
    blame: ['infra'],
    meaning:
      'A registry does not say which image a name stands for: it is away, too busy, or answers what nobody expects.',
    operator: 'Nothing at first: the run waits and is looked at again. If it lasts, see to the registry or its mirror.',
  },
  agent_unpinned: {
    blame: ['task'],
    meaning: "The agent's package has no integrity, so nobody could say later what was measured.",
    operator: 'Choose a version whose package the registry describes.',
  },
  prediction_unknown: {
    blame: ['task'],
    meaning: 'A prediction is for an instance that the suite does not have.',
    operator: 'Remove it, or choose the suite that the predictions are for.',
  },
  predictions_empty: {
    blame: ['task'],
    meaning: 'The set holds no prediction.',
    operator: 'Submit a set with at least one prediction.',
  },
  predictions_unreadable: {
    blame: ['task'],
    meaning: 'A file of predictions cannot be read.',
    operator: 'Correct the file where the message says.',
  },
  predictions_unknown: {
    blame: ['task'],
    meaning: 'No set of predictions of this digest is stored.',
    operator: 'Upload the predictions before the run is submitted.',
  },
  predictions_invalid: {
    blame: ['task'],
    meaning: 'A stored set of predictions holds a line that is none.',
    operator: 'Upload the predictions again, and tell us: it was checked when it was stored.',
  },
  bundle_refused: {
    blame: ['task'],
    meaning: "A task's folder holds what cannot be packed, or too much of it.",
    operator: 'Remove what the message names from the folder.',
  },
  bundle_malformed: {
    blame: ['contract'],
    meaning: 'The packed task is not what packing makes.',
    operator: 'Nothing at first; if it comes again, check that dispatcher and workers are of one build.',
  },
  read_failed: {
    blame: ['infra'],
    meaning: 'A folder of the suite cannot be read.',
    operator: 'Make the folder that the message names readable.',
  },
  release_not_there: {
    blame: ['infra'],
    meaning: 'The release that the run is for is not published yet.',
    operator: 'Nothing: the run waits. Cancel it if the release will not come.',
  },
  release_wrong: {
    blame: ['task'],
    meaning: 'The release is not what the run is for, or is there no more.',
    operator: 'Publish a right release, and submit a run for it.',
  },
  ref_not_there: {
    blame: ['infra'],
    meaning: 'GitHub cannot tell yet which commit the evaluated ref stands for.',
    operator: 'Nothing: the run waits. If it goes on, check GITHUB_API_URL and the token in GITHUB_TOKEN_FILE.',
  },
  ref_wrong: {
    blame: ['task'],
    meaning: 'The evaluated ref is no tag of the repository, leads to no commit, or names no version.',
    operator: 'Push the tag that the message names, or submit a run for another ref.',
  },
  tag_moved: {
    blame: ['task'],
    meaning: 'The tag stands for another commit than the one that the run was handed in for.',
    operator: 'Find out who moved the tag, and submit a run for the commit that shall be measured.',
  },
  package_late: {
    blame: ['task'],
    meaning: 'The package did not come to its registry in the time that a run waits for it.',
    operator:
      "Read the registry's last answer in the message; publish the package, then submit the run again under another key.",
  },
} as const satisfies FailureEntries;
