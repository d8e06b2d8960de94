import { commonConfig, envChoice, envPath, envUrl, oneArtifactStore, secretFile } from '@assay/service-kit';
import { z } from 'zod';

/** The dispatcher's settings. */
export const configSchema = oneArtifactStore(
  z.object({
    ...commonConfig('dispatcher'),
    DATABASE_URL: envUrl(['postgres', 'postgresql']).describe('PostgreSQL database of the deployment'),
    ASSAY_SUITES_DIR: envPath().describe('Folder of the suite files, each called <name>.yaml; read anew for every run'),
    ASSAY_API_TOKEN_FILE: secretFile().describe('File with the bearer token that callers of /v1 must send'),
    ASSAY_DEFAULT_SANDBOX: envChoice(['docker', 'process'], 'docker').describe(
      'Sandbox of runs whose suite takes any; suites that publish a score never run in `process`',
    ),
    GITHUB_API_URL: envUrl()
      .optional()
      .describe("Root of GitHub's REST API; with it, a run waits until its release is really there"),
    GITHUB_TOKEN_FILE: secretFile()
      .optional()
      .describe('File with a token that may read releases, for private repositories and a higher rate limit'),
  }),
);
export type Config = z.infer<typeof configSchema>;
