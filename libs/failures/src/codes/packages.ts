import type { FailureEntries } from './failure-entry';

/** What keeps an agent's package, or the repository that it works on, from being made ready. */
export const PACKAGES_CODES = {
  agent_not_frozen: {
    blame: ['infra'],
    meaning: "The run's manifest lacks the integrity of the agent's package.",
    operator: 'Submit the run again; check that dispatcher and executor are of one build.',
  },
  agent_version_unknown: {
    blame: ['task'],
    meaning: 'The agent is part of this build, in another version than the run wants.',
    operator: 'Deploy the build that the run was frozen for, or submit it again.',
  },
  agent_package_missing: {
    blame: ['infra'],
    meaning: 'The package registry has no such version of the agent.',
    operator: 'Check the version, and that the registry or its mirror has it.',
  },
  agent_package_corrupt: {
    blame: ['infra'],
    meaning: 'The fetched package is not the one that was frozen.',
    operator: "Check the registry's mirror; submit anew only if the package was published again on purpose.",
  },
  agent_registry_unavailable: {
    blame: ['infra'],
    meaning: 'The package registry cannot be asked.',
    operator: 'Check the network and the registry that the executor is told to use.',
  },
  agent_arch_unsupported: {
    blame: ['infra'],
    meaning: 'No agent runs on this processor.',
    operator: 'Run executors on x64 or arm64.',
  },
  npm_missing: {
    blame: ['infra'],
    meaning: 'The executor cannot run npm.',
    operator: 'Install npm beside Node on the executor.',
  },
  python_missing: {
    blame: ['infra'],
    meaning: 'The executor lacks python3 with pip, which an agent of Python needs.',
    operator: 'Install python3 and pip on the executor.',
  },
  history_not_cut: {
    blame: ['infra'],
    meaning: "The task's git history cannot be cut to its base commit.",
    operator: "Read the details, and check the repository in the task's image.",
  },
} as const satisfies FailureEntries;
