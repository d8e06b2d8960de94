import { commonConfig, envChoice, envPath, envUrl, oneArtifactStore, secretFile } from '@assay/service-kit';
import { z } from 'zod';
import { edgeConfig, edgeTogether } from './auth/http/edge-config';
import { policyFile } from './policy/policy-setting';

const settings = oneArtifactStore(
  z.object({
    ...commonConfig('dispatcher'),
    DATABASE_URL: envUrl(['postgres', 'postgresql']).describe('PostgreSQL database of the deployment'),
    ASSAY_SUITES_DIR: envPath().describe('Folder of the suite files, each called <name>.yaml; read anew for every run'),
    ASSAY_API_TOKEN_FILE: secretFile().describe('File with the bearer token that callers of /v1 must send'),
    ...edgeConfig(),
    ASSAY_DEFAULT_SANDBOX: envChoice(['docker', 'process'], 'docker').describe(
      'Sandbox of runs whose suite takes any; suites that publish a score never run in `process`',
    ),
    GITHUB_API_URL: envUrl()
      .optional()
      .describe("Root of GitHub's REST API; with it, a run waits until its release is really there"),
    GITHUB_TOKEN_FILE: secretFile()
      .optional()
      .describe('File with a token that may read releases, for private repositories and a higher rate limit'),
    ASSAY_POLICY_FILE: policyFile()
      .optional()
      .describe('File that says which releases are run, and as what; read at the start. Without it none is'),
  }),
);

/** The dispatcher's settings. */
export const configSchema = edgeTogether(settings);
export type Config = z.infer<typeof configSchema>;
