import type { FailureEntries } from './failure-entry';

/** What keeps a patch or a result from leaving the sandbox and reaching the store. */
export const EXTRACT_CODES = {
  workspace_too_large: {
    blame: ['agent'],
    meaning: "The agent's workspace has more bytes or entries than are read.",
    operator: 'Nothing; raise the limit if honest work needs more.',
  },
  workspace_replaced: {
    blame: ['agent'],
    meaning: 'The agent put something else in the place of its workspace.',
    operator: 'Nothing; read the trajectory for why.',
  },
  workspace_unreadable: {
    blame: ['agent'],
    meaning: 'The workspace holds paths that a host cannot hold.',
    operator: 'Nothing; read the trajectory for why.',
  },
  file_too_large: {
    blame: ['agent'],
    meaning: 'A file in the sandbox is larger than what is read of it.',
    operator: 'Nothing; look for what wrote it.',
  },
  patch_too_large: {
    blame: ['agent'],
    meaning: "The agent's changes have more bytes or files than a patch may have.",
    operator: 'Nothing; raise the limit if honest work needs more.',
  },
  patch_does_not_reapply: {
    blame: ['infra'],
    meaning: 'The extracted patch does not apply again to the tree that it was taken from.',
    operator: 'Report it with the workspace: extraction is wrong about something.',
  },
  git_failed: {
    blame: ['infra'],
    meaning: 'git failed on the worker.',
    operator: 'Read its output in the message.',
  },
  git_timed_out: {
    blame: ['infra'],
    meaning: 'git on the worker did not end within its bound.',
    operator: 'Check the load and the disk of the worker.',
  },
  git_missing: {
    blame: ['infra'],
    meaning: 'The worker cannot run git.',
    operator: 'Install git on the worker.',
  },
  artifact_io: {
    blame: ['infra'],
    meaning: 'The artifact store cannot be read or written.',
    operator: "Check the store's mount, its rights and its health.",
  },
  artifact_too_large: {
    blame: ['contract'],
    meaning: 'An artifact is larger than what is read of it.',
    operator: 'Check what wrote it; a part that is read whole is small.',
  },
  artifact_missing: {
    blame: ['contract', 'infra'],
    meaning: 'An artifact that is named in a message is not in the store.',
    operator: 'Check that all processes use the same store, and that nothing cleans it.',
  },
  artifact_corrupt: {
    blame: ['contract', 'infra'],
    meaning: 'An artifact is not what its digest and size say.',
    operator: "Check the store's disk; a new attempt writes it again.",
  },
  malformed_outcome: {
    blame: ['contract'],
    meaning: 'A worker made a result that breaks the contract.',
    operator: 'Check that workers and coordinator are of one build, and report it.',
  },
  result_too_large: {
    blame: ['contract'],
    meaning: 'A result is larger than a message may be.',
    operator: 'Report it: what is large belongs into artifacts.',
  },
} as const satisfies FailureEntries;
