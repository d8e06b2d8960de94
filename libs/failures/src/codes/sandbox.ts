import type { FailureEntries } from './failure-entry';

/** What keeps a sandbox and its image from being made ready. */
export const SANDBOX_CODES = {
  sandbox_refused: {
    blame: ['task'],
    meaning: 'The suite publishes a score, so it does not run in the process sandbox.',
    operator: 'Run the suite in the docker sandbox.',
  },
  sandbox_not_offered: {
    blame: ['infra'],
    meaning: 'The worker has no sandbox of the kind that the run was frozen with.',
    operator: 'Add the kind to ASSAY_SANDBOXES of a worker.',
  },
  context_missing: {
    blame: ['task'],
    meaning: 'The task wants its image built, and has no build context.',
    operator: 'Give the task an environment folder, or a ready image.',
  },
  dockerfile_missing: {
    blame: ['task'],
    meaning: 'The task has no environment/Dockerfile.',
    operator: 'Add the Dockerfile, or name a ready image.',
  },
  dockerfile_needs_docker: {
    blame: ['task'],
    meaning: 'The Dockerfile holds an instruction that only the docker sandbox can follow.',
    operator: 'Run the task in the docker sandbox.',
  },
  image_needs_docker: {
    blame: ['task'],
    meaning: 'The task names a ready image, which the process sandbox cannot run.',
    operator: 'Run the task in the docker sandbox.',
  },
  copy_source_missing: {
    blame: ['task'],
    meaning: 'The Dockerfile copies a file that is not in the build context.',
    operator: 'Add the file to the environment folder.',
  },
  image_build_failed: {
    blame: ['task', 'infra'],
    meaning: "The task's image cannot be built: by the task's fault if its Dockerfile is to blame, else by ours.",
    operator:
      "Read the end of the build's output in the details; correct the Dockerfile, or the engine and its network.",
  },
  image_unavailable: {
    blame: ['infra'],
    meaning: 'The image is not on the host and cannot be pulled.',
    operator: 'Check the registry, the mirror and its rate limit.',
  },
  image_lost: {
    blame: ['infra'],
    meaning: 'The image was made, and is not there any more.',
    operator: 'Check whether something else cleans up images on this host.',
  },
  image_changed: {
    blame: ['infra'],
    meaning: "The trial's image is gone, and was built anew with another content.",
    operator: 'Raise the image budget, and pin what the Dockerfile fetches.',
  },
  mount_refused: {
    blame: ['infra'],
    meaning: 'A folder of the host may not be mounted into a sandbox.',
    operator: 'Correct the folder of the worker that the message names.',
  },
  link_escapes: {
    blame: ['task'],
    meaning: 'A link in a folder that is to be copied leads out of it.',
    operator: 'Remove the link from the task.',
  },
  unsupported_file: {
    blame: ['task'],
    meaning: 'A folder that is to be copied holds a socket, pipe or device.',
    operator: 'Remove the file from the task.',
  },
  limits_beyond_engine: {
    blame: ['infra'],
    meaning: 'The limits of the suite want more CPUs or memory than the Docker engine of this worker has.',
    operator:
      'Lower the limits of the suite, or run its work on bigger engines only: another one may take the next try.',
  },
  engine_unavailable: {
    blame: ['infra'],
    meaning: 'The Docker engine does not answer at all.',
    operator: 'Start the engine, and check that the worker may use its socket.',
  },
  engine_failed: {
    blame: ['infra'],
    meaning: 'The Docker engine answered with an error.',
    operator: "Read the engine's message and its log.",
  },
  engine_timed_out: {
    blame: ['infra'],
    meaning: 'The Docker engine did not answer within its bound.',
    operator: 'Check the load and the log of the engine; restart it if it hangs.',
  },
} as const satisfies FailureEntries;
