import type { FailureEntries } from './failure-entry';

/** What keeps a result off its release. */
export const PUBLISH_CODES = {
  github_token_unusable: {
    blame: ['infra'],
    meaning: 'The file with the GitHub token is missing, empty, or open to others.',
    operator: "Make it a plain file of the publisher's user with mode 0600.",
  },
  github_app_refused: {
    blame: ['infra'],
    meaning:
      'GitHub gives the App no token: it does not know the key, the App or the installation, or it may not do this.',
    operator:
      "Check the App's id, its private key, its installation and what that may do (contents: write; issues: write for comments).",
  },
  github_app_key_invalid: {
    blame: ['contract'],
    meaning: 'The file with the private key of a GitHub App holds no RSA private key in PEM.',
    operator: "Give the file that GitHub made in the App's settings.",
  },
  github_auth_failed: {
    blame: ['infra'],
    meaning: 'GitHub does not accept the token.',
    operator: 'Replace the token: it is wrong, revoked or expired.',
  },
  github_forbidden: {
    blame: ['infra'],
    meaning: 'The token may not do this.',
    operator: 'Give the token write access to the contents of the repository.',
  },
  github_not_found: {
    blame: ['infra'],
    meaning: 'GitHub has no such repository or release, or hides it from the token.',
    operator: 'Check the repository, the tag, and what the token may see.',
  },
  github_rate_limited: {
    blame: ['infra'],
    meaning: 'GitHub asks us to come later.',
    operator: 'Nothing: it is tried again when GitHub allows.',
  },
  github_already_exists: {
    blame: ['infra'],
    meaning: 'The release has a file of this name already.',
    operator: "Nothing at first; look at the release's files if it comes again.",
  },
  github_immutable: {
    blame: ['infra'],
    meaning: 'The release is immutable, so its files cannot change.',
    operator: 'Nothing: the result stands in the notes alone.',
  },
  github_body_too_long: {
    blame: ['infra'],
    meaning: 'GitHub finds the notes of the release too long.',
    operator: 'Shorten the notes of the release.',
  },
  github_rejected: {
    blame: ['infra'],
    meaning: 'GitHub rejects the content of a request.',
    operator: "Read GitHub's answer in the message.",
  },
  github_unavailable: {
    blame: ['infra'],
    meaning: 'GitHub answers with an error of its own.',
    operator: "Check GitHub's status page.",
  },
  github_unreachable: {
    blame: ['infra'],
    meaning: 'GitHub cannot be reached.',
    operator: "Check the publisher's network, proxy and name resolution.",
  },
  github_unexpected: {
    blame: ['infra'],
    meaning: 'GitHub answers what is not expected.',
    operator: 'Read the answer in the message, and report it.',
  },
  github_upload_url: {
    blame: ['infra'],
    meaning: 'The release wants its uploads sent to a host that is not the configured GitHub.',
    operator: 'Check the GitHub address; the token is not sent there.',
  },
  release_body_too_long: {
    blame: ['infra'],
    meaning: 'The notes of the release leave no room for the result.',
    operator: 'Shorten the notes of the release: the result is written within ten minutes after that, by itself.',
  },
  release_mismatch: {
    blame: ['task'],
    meaning: 'The release is not the one that the run was frozen for.',
    operator: 'Check whether the release was deleted and made anew; submit a run for it.',
  },
  release_deleted: {
    blame: ['task'],
    meaning: 'The release was deleted: neither its id nor its tag has one, though the repository is shown.',
    operator: 'Nothing, if that was meant; else publish a release again and submit a run for it.',
  },
  publication_refused: {
    blame: ['task'],
    meaning: 'The release may not be written to: the policy says no, or the run does not belong on it.',
    operator: 'Read the reason in the run; change the policy file, or submit a run that belongs there.',
  },
  trajectory_malformed: {
    blame: ['contract'],
    meaning: 'A stored trajectory cannot be read, so it cannot be published.',
    operator: 'Check that executor and publisher are of one build, and report it with the artifact.',
  },
  release_is_draft: {
    blame: ['infra'],
    meaning: 'The release is a draft, and results are written on published ones only.',
    operator: 'Publish the release.',
  },
  release_drift: {
    blame: ['infra'],
    meaning: 'The result does not stand on the release as it was written.',
    operator: 'Find out who else edits the notes at the same time.',
  },
  nothing_to_publish: {
    blame: ['contract'],
    meaning: 'A run whose suite publishes nothing came to the publisher.',
    operator: 'Check that coordinator and publisher are of one build.',
  },
  signing_key_invalid: {
    blame: ['contract'],
    meaning: 'The key that signs results, or one that they are checked by, is no ed25519 key in PEM.',
    operator: 'Make a pair with `assay signing-key`, and give the file that is asked for.',
  },
  block_malformed: {
    blame: ['contract'],
    meaning: 'The block for a release holds what would break its notes.',
    operator: 'Report it with the result.',
  },
} as const satisfies FailureEntries;
