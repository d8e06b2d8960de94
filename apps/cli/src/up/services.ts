import { Namespace } from '@assay/contracts';
import { join } from 'node:path';
import type { KeyPairFiles } from '../key-pair-files';
import { UsageError } from '../output';
import type { Backends } from './backends';
import type { ChildSpec } from './children';
import type { SandboxChoice } from './sandbox-choice';
import type { StateFolder } from './state-folder';
import type { UpOptions } from './up-options';

/** Where the services find what they talk to. */
export interface Surroundings {
  readonly root: string;
  readonly state: StateFolder;
  readonly backends: Backends;
  readonly choice: SandboxChoice;
  readonly githubUrl: string;
  readonly githubTokenFile: string;
  readonly modelUrl: string;
  readonly modelKeyFile: string;
  readonly apiTokenFile: string;
  readonly suitesDir: string;
  readonly policyFile: string;
  readonly keys: KeyPairFiles;
}

export interface ServiceSpec extends ChildSpec {
  readonly port: number;
}

/** The five services as child processes. `ports` gives each its health port, the dispatcher its public one. */
export async function serviceSpecs(
  around: Surroundings,
  options: UpOptions,
  freePort: () => Promise<number>,
): Promise<ServiceSpec[]> {
  const sandboxes = { ASSAY_SANDBOXES: around.choice.sandbox, ...baseImage(around.choice) };
  const database = { DATABASE_URL: around.backends.databaseUrl };
  const policy = { ASSAY_POLICY_FILE: around.policyFile };
  const github = { GITHUB_API_URL: around.githubUrl, GITHUB_TOKEN_FILE: around.githubTokenFile };
  const executor = {
    ...sandboxes,
    ASSAY_SLOTS: String(options.slots),
    OPENAI_BASE_URL: around.modelUrl,
    OPENAI_API_KEY_FILE: around.modelKeyFile,
  };
  const executors = Array.from({ length: options.executors }, (_, index) => ({
    name: options.executors === 1 ? 'executor' : `executor-${index + 1}`,
    app: 'executor',
    env: { ...executor, ASSAY_WORK_DIR: join(around.state.work, `executor-${index + 1}`) },
  }));
  const apps = [
    { name: 'coordinator', app: 'coordinator', env: database },
    {
      name: 'dispatcher',
      app: 'dispatcher',
      env: {
        ...database,
        ...policy,
        ASSAY_PUBLIC_KEYS_FILE: around.keys.publicFile,
        GITHUB_API_URL: around.githubUrl,
        ASSAY_SUITES_DIR: around.suitesDir,
        ASSAY_API_TOKEN_FILE: around.apiTokenFile,
        ASSAY_DEFAULT_SANDBOX: around.choice.sandbox,
        ...(options.tls ? { ASSAY_TLS_SELF_SIGNED_DIR: around.state.tls } : {}),
        ...ownSettings(),
      },
    },
    ...executors,
    {
      name: 'grader',
      app: 'grader',
      env: { ...sandboxes, ASSAY_SLOTS: '2', ASSAY_WORK_DIR: join(around.state.work, 'grader') },
    },
    {
      name: 'publisher',
      app: 'publisher',
      env: { ...github, ...policy, ASSAY_SIGNING_KEY_FILE: around.keys.privateFile },
    },
  ];
  return Promise.all(
    apps.map(async ({ name, app, env }) => {
      const port = app === 'dispatcher' && options.port !== 0 ? options.port : await freePort();
      return serviceSpec({ ...around, timeScale: options.timeScale }, { name, app, env, port });
    }),
  );
}

/** What every service on this machine shares. */
export interface ServiceGround {
  readonly root: string;
  readonly state: StateFolder;
  readonly backends: Backends;
  readonly timeScale: number;
}

/** One service as a child process. `env` is what it has beside the common settings. */
export function serviceSpec(
  ground: ServiceGround,
  { name, app, env, port }: { name: string; app: string; env: Readonly<Record<string, string>>; port: number },
): ServiceSpec {
  return {
    name,
    port,
    command: process.execPath,
    args: ['--enable-source-maps', join(ground.root, 'apps', app, 'dist/main.js')],
    env: { ...inherited(), ...common(ground), ...env, ASSAY_HTTP_PORT: String(port) },
  };
}

export function baseImage(choice: SandboxChoice): Record<string, string> {
  return choice.baseImage === null ? {} : { ASSAY_BASE_IMAGE: choice.baseImage };
}

/** The namespace that the user's environment names; null: none. Throws UsageError for what is none. */
export function givenNamespace(env: NodeJS.ProcessEnv): Namespace | null {
  const text = env['ASSAY_NAMESPACE'] ?? '';
  if (text === '') return null;
  const parsed = Namespace.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new UsageError(`ASSAY_NAMESPACE: ${parsed.error.issues[0]?.message ?? ''}, got ${JSON.stringify(text)}`);
}

function common({ state, backends, timeScale }: ServiceGround): Record<string, string> {
  return {
    ASSAY_NAMESPACE: givenNamespace(process.env) ?? state.namespace,
    NATS_URL: backends.natsUrl,
    ...artifactStore(state.artifacts, process.env),
    ASSAY_TIME_SCALE: String(timeScale),
  };
}

/**
 * The store that the user's environment names, with what reaches it, else the state folder's. The SDK's own variables go
 * along but for its keys: a service's environment holds no secret.
 */
export function artifactStore(folder: string, env: NodeJS.ProcessEnv): Record<string, string> {
  if ((env['ASSAY_ARTIFACTS'] ?? '') === '') return { ASSAY_ARTIFACTS_DIR: folder };
  const own = /^(ASSAY_ARTIFACTS|ASSAY_S3_\w+|AWS_(?!ACCESS_KEY_ID$|SECRET_ACCESS_KEY$|SESSION_TOKEN$)\w+)$/;
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => own.test(entry[0]) && entry[1] !== undefined),
  );
}

const DISPATCHER_SETTINGS = ['ASSAY_DATA_DIR', 'ASSAY_REGISTRY_ACCESS', 'ASSAY_REGISTRY_MIRROR'] as const;

/** Settings of the dispatcher that whoever starts it has set: where data lies, and how registries are asked. */
export function ownSettings(): Record<string, string> {
  return Object.fromEntries(
    DISPATCHER_SETTINGS.flatMap((name): [string, string][] => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Names that every service gets as they are here: the machine's own, and settings that a start has no option for. */
const HANDED_ON = [
  ...['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'DOCKER_HOST', 'NODE_EXTRA_CA_CERTS', 'OTEL_.*'],
  ...['ASSAY_LOG_LEVEL', 'ASSAY_CORES', 'ASSAY_IMAGE_BUDGET_MB', 'ASSAY_IMAGES_AHEAD', 'ASSAY_REGISTRY_MIRROR'],
  ...['NPM_CONFIG_REGISTRY', 'npm_config_registry', 'PIP_INDEX_URL'],
];

/** What a service takes over from our own environment: no secret is among it. */
function inherited(): Record<string, string> {
  const allowed = new RegExp(`^(${HANDED_ON.join('|')})$`);
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => allowed.test(entry[0]) && entry[1] !== undefined,
    ),
  );
}
