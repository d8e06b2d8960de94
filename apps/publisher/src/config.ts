import { commonConfig, envPath, envUrl, readSecretFile, UnsafeSecretFile, oneArtifactStore } from '@assay/service-kit';
import { z } from 'zod';

/** Settings of the publisher. */
export const configSchema = oneArtifactStore(
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
      .describe(
        'File with the token that may write releases (contents: write); mode 0600, 0440 or 0400, no link. Read before every request, so that a renewed token is used at once. No other process has it',
      ),
  }),
);
export type PublisherConfig = z.infer<typeof configSchema>;
