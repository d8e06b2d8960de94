import {
  commonConfig,
  envChoice,
  envNumber,
  envPath,
  envRegistryPrefix,
  envText,
  envUrl,
  secretFile,
  oneArtifactStore,
} from '@assay/service-kit';
import { z } from 'zod';
import { edgeConfig, edgeTogether } from './auth/http/edge-config';
import { publicKeysFile } from './keys/public-keys-setting';
import { policyFile } from './policy/policy-setting';
import { policyTogether } from './policy/policy-suites';

const settings = oneArtifactStore(
  z.object({
    ...commonConfig('dispatcher'),
    DATABASE_URL: envUrl(['postgres', 'postgresql']).describe('PostgreSQL database of the deployment'),
    ASSAY_SUITES_DIR: envPath().describe('Folder of the suite files, each called <name>.yaml; read anew for every run'),
    ASSAY_DATA_DIR: envPath()
      .optional()
      .describe('Folder of the data sets that suites name by `${ASSAY_DATA_DIR}/…`, in the paths of their sources'),
    ASSAY_REGISTRY_ACCESS: envChoice(['on', 'off'], 'on').describe(
      'Whether registries are asked for the digests of images before a run is queued; `off`: suites need a map of digests, or `unpinned: allow`',
    ),
    ASSAY_REGISTRY_MIRROR: envRegistryPrefix()
      .optional()
      .describe('Mirror of Docker Hub that is asked first for digests; what it does not have is asked for at the Hub'),
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
      .describe(
        'File that says which releases are run, and as what; read at the start, when every suite that it names must be there. Without it none is',
      ),
    ASSAY_DEFAULT_MODEL: envText('qwen3.7-max').describe('Model of releases that are handed in without one'),
    NPM_CONFIG_REGISTRY: envUrl()
      .optional()
      .describe(
        'Registry of npm that packages are waited for in; executors install from it by the same variable. Without it the one that npm is set up for',
      ),
    ASSAY_PACKAGE_POLL_SECONDS: envNumber(30, { min: 0.05, max: 3_600 }).describe(
      'Time between two looks for a package that is not published yet',
    ),
    ASSAY_PACKAGE_LATE_MINUTES: envNumber(10, { min: 0, max: 10_080 }).describe(
      'Time after which a package that is not there yet is late: once told, as the notification `package.late`',
    ),
    ASSAY_PACKAGE_WAIT_MINUTES: envNumber(90, { min: 0, max: 10_080 }).describe(
      'Time after which a run whose package never came ends as FAILED',
    ),
    ASSAY_PUBLIC_KEYS_FILE: publicKeysFile()
      .optional()
      .describe(
        'File with the public keys that results are signed with (PEM, the newest first; keep those of earlier results); everybody may read them at /v1/keys',
      ),
  }),
);

/** The dispatcher's settings. */
export const configSchema = policyTogether(edgeTogether(settings));
export type Config = z.infer<typeof configSchema>;
