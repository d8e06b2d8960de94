import { DEFAULT_ANCHORS } from '@assay/github';
import {
  commonConfig,
  envInt,
  envList,
  envPath,
  envUrl,
  readSecretFile,
  UnsafeSecretFile,
  oneArtifactStore,
} from '@assay/service-kit';
import { z } from 'zod';
import { appId, appKeyFile, oneGithubCredential } from './github-credential-setting';
import { targetsFile } from './notifications/targets-setting';
import { policyFile } from './policy-setting';
import { signingKeyFile } from './signing-key-setting';

/** Settings of the publisher. */
export const configSchema = oneGithubCredential(
  oneArtifactStore(
    z.object({
      ...commonConfig('publisher'),
      GITHUB_API_URL: envUrl(['http', 'https'], 'https://api.github.com').describe('Root of the GitHub API'),
      GITHUB_TOKEN_FILE: envPath()
        .superRefine((file, context) => {
          try {
            readSecretFile(file);
          } catch (error) {
            if (!(error instanceof UnsafeSecretFile)) throw error;
            context.addIssue({ code: 'custom', message: `expected a file with a secret, but ${error.message}` });
          }
        })
        .optional()
        .describe(
          'File with the token that may write releases (contents: write); mode 0600, 0440 or 0400, no link. Read before every request, so that a renewed token is used at once. No other process has it. Required unless there is a GitHub App',
        ),
      GITHUB_APP_ID: appId()
        .optional()
        .describe(
          'In place of a token: the GitHub App that writes releases, by its id or client id. The publisher makes tokens of an hour by itself',
        ),
      GITHUB_APP_INSTALLATION_ID: envInt(undefined, { min: 1 })
        .optional()
        .describe(
          'With a GitHub App: its installation on the owner of the repositories (the number in its settings page)',
        ),
      GITHUB_APP_PRIVATE_KEY_FILE: appKeyFile()
        .optional()
        .describe('With a GitHub App: file with its private key as GitHub gives it out. Read at the start'),
      ASSAY_POLICY_FILE: policyFile()
        .optional()
        .describe(
          'Release policy: which releases may be written to, and whether at all. Without one any release may, but a stable one only with the result of its own tag from a run that the release started',
        ),
      ASSAY_SIGNING_KEY_FILE: signingKeyFile()
        .optional()
        .describe(
          'File with the private key that results are signed with (`assay signing-key` makes one). Without it nothing is signed',
        ),
      ASSAY_NOTIFICATIONS_FILE: targetsFile()
        .optional()
        .describe(
          'Who is told when a run ends, is quarantined or stands still, when a package is late and when a result is refused: webhooks and issues of GitHub. Read at the start; without it nobody is. Every publisher needs the same',
        ),
      ASSAY_BLOCK_ANCHORS: envList(undefined, DEFAULT_ANCHORS).describe(
        'Lines of other tools that show where a result belongs in the notes: a new block goes below the first that stands alone in its line. They and what follows them are never changed',
      ),
    }),
  ),
);
export type PublisherConfig = z.infer<typeof configSchema>;
