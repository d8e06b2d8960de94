import { openArtifactStore, type ArtifactPlace } from '@assay/artifacts';
import type { Namespace } from '@assay/contracts';
import type * as ServiceKit from '@assay/service-kit';
import { createRequire } from 'node:module';
import { z } from 'zod';
import { ExitError, UsageError } from '../output';
import { artifactStore } from './services';

/** An engine of artifacts that is there answers in a moment; one whose key must be looked for, in a few seconds. */
const ANSWER_MS = 20_000;

/** What the SDK of S3 would find here, and in no service: they have no secret in their environment. */
const SECRETS = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'];

/**
 * The artifact store that ASSAY_ARTIFACTS names, looked at as the services will: with the settings that they get, and
 * without the keys that they do not. Nothing named: the state folder's, which is looked at with the folder.
 * Throws UsageError for settings that are wrong, ExitError for a store that cannot be used.
 */
export async function requireArtifacts(env: NodeJS.ProcessEnv, namespace: Namespace): Promise<void> {
  const given = env['ASSAY_ARTIFACTS'] ?? '';
  if (given === '') return;
  const place = placeOf(env);
  const hidden = SECRETS.filter((name) => (env[name] ?? '') !== '');
  for (const name of SECRETS) Reflect.deleteProperty(process.env, name);
  // What Node the SDK will want next year is no answer to the person who typed a command.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const store = await openArtifactStore(place, namespace);
  const reason = await within(ANSWER_MS, store.check());
  if (reason === null) return;
  const endpoint = place.kind === 's3' && place.access.endpoint !== null ? env['ASSAY_S3_ENDPOINT'] : undefined;
  const at = endpoint === undefined ? '' : ` at ASSAY_S3_ENDPOINT ${JSON.stringify(endpoint)}`;
  throw new ExitError(
    1,
    `ASSAY_ARTIFACTS: expected an artifact store that can be used, got ${JSON.stringify(given)}${at}: ${reason}${hint(hidden)}`,
  );
}

/** By the rules of the services themselves. */
function placeOf(env: NodeJS.ProcessEnv): ArtifactPlace {
  // Loads Nest, which nothing else of the command line needs.
  const kit = createRequire(__filename)('@assay/service-kit') as typeof ServiceKit;
  const { artifactConfig, artifactPlace, ConfigError, loadConfig, oneArtifactStore } = kit;
  try {
    return artifactPlace(loadConfig(oneArtifactStore(z.object(artifactConfig())), artifactStore('', env)));
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.problems.join('\n'));
    throw error;
  }
}

/** Null: it was done in time; else why not. */
async function within(ms: number, work: Promise<void>): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => {
      resolve(`no answer within ${ms / 1000} s`);
    }, ms);
  });
  const done = work.then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}

function hint(hidden: readonly string[]): string {
  if (hidden.length === 0) return '';
  const are = `${hidden.join(', ')} ${hidden.length === 1 ? 'is' : 'are'} set here`;
  return `; ${are}, but services have no secret in their environment: use ASSAY_S3_ACCESS_KEY_ID_FILE and ASSAY_S3_SECRET_ACCESS_KEY_FILE, or a profile`;
}
