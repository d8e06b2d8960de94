import type { TaskToml } from './task-toml.schema';

/**
 * What becomes of a key that Harbor knows. `used`: it does what it does in Harbor, or what `why` says. `reported`: it
 * has no effect here; a task that sets it is run, with a warning. `refused`: the task cannot be run as it is meant.
 */
export interface KeyRule {
  readonly key: string;
  readonly treatment: 'used' | 'reported' | 'refused';
  readonly why: string;
  /** Whether this task is concerned; default: the key is set and not empty, false or 0. */
  readonly concerns?: (task: TaskToml) => boolean;
}

const used = (key: string, why: string): KeyRule => ({ key, treatment: 'used', why });
const reported = (key: string, why: string, concerns?: KeyRule['concerns']): KeyRule => ({
  key,
  treatment: 'reported',
  why,
  ...(concerns === undefined ? {} : { concerns }),
});
const refused = (key: string, why: string, concerns?: KeyRule['concerns']): KeyRule => ({
  key,
  treatment: 'refused',
  why,
  ...(concerns === undefined ? {} : { concerns }),
});

/** What the sandbox gives a build; fixed there. */
const BUILD_SECONDS = 1_800;

const sealed = 'a trial has no network but the model gateway';
const graderNetwork = "the suite's grader.network decides";
const opensNetwork = (mode: string | undefined): boolean => mode !== undefined && mode !== 'no-network';

/** One rule for every key of task.toml; docs/tasks.md holds the same table, and a test compares them. */
export const KEY_RULES: readonly KeyRule[] = [
  used('schema_version', '1.0 to 1.4'),
  used('version', 'the old name of schema_version'),
  used('source', 'kept'),
  used('task', 'name, description, keywords and authors are kept; the instance id is the name of the folder'),
  used('metadata', 'kept as it is'),
  used('agent.timeout_sec', "ends the agent, where shorter than the suite's limits.wallSeconds"),
  refused('agent.user', 'the agent runs as the user of the image', (task) => !isRoot(task.agent.user)),
  reported('agent.network_mode', sealed, (task) => opensNetwork(task.agent.network_mode)),
  reported('agent.allowed_hosts', sealed),
  used('verifier.timeout_sec', "ends the tests, where shorter than the suite's grader.timeoutSeconds"),
  used('verifier.env', 'given to tests/test.sh'),
  refused('verifier.user', "the suite's grader.user decides", (task) => !isRoot(task.verifier.user)),
  reported('verifier.network_mode', graderNetwork),
  reported('verifier.allowed_hosts', graderNetwork),
  reported(
    'verifier.environment_mode',
    'tests run in a fresh sandbox of the same image with the patch applied; what the agent left outside the working directory is gone',
    (task) => task.verifier.environment_mode === 'shared',
  ),
  refused('verifier.environment', 'tests run in the image of the task'),
  refused('verifier.collect', 'nothing but the patch goes from the trial to the tests'),
  reported(
    'environment.build_timeout_sec',
    `a build has ${BUILD_SECONDS} s, and this task wants more`,
    (task) => task.environment.build_timeout_sec > BUILD_SECONDS,
  ),
  used('environment.docker_image', 'used instead of environment/Dockerfile'),
  refused('environment.os', 'only linux', (task) => task.environment.os === 'windows'),
  used('environment.cpus', "the suite's limits decide; a warning where they are lower"),
  used('environment.memory_mb', "the suite's limits decide; a warning where they are lower"),
  used('environment.memory', 'the old form of memory_mb'),
  used('environment.storage_mb', "the suite's limits decide; a warning where they are lower"),
  used('environment.storage', 'the old form of storage_mb'),
  refused('environment.gpus', 'no GPUs'),
  refused('environment.gpu_types', 'no GPUs'),
  refused('environment.tpu', 'no TPUs'),
  reported('environment.allow_internet', sealed, (task) => task.environment.allow_internet === true),
  reported('environment.network_mode', sealed, (task) => opensNetwork(task.environment.network_mode)),
  reported('environment.allowed_hosts', sealed),
  used('environment.env', 'given to every command of the trial and of the tests'),
  refused('environment.mcp_servers', 'no MCP servers'),
  reported('environment.skills_dir', 'skills are not handed to agents'),
  refused('environment.workdir', 'the WORKDIR of the image decides'),
  refused('environment.healthcheck', 'health checks are not run'),
  used('solution.env', 'given to solution/solve.sh by the agent oracle'),
  refused(
    'artifacts',
    'nothing but the patch goes from the trial to the tests',
    (task) => (task.artifacts?.length ?? 0) > 0 && task.verifier.environment_mode === 'separate',
  ),
  reported(
    'artifacts',
    'files of the sandbox are not collected',
    (task) => (task.artifacts?.length ?? 0) > 0 && task.verifier.environment_mode !== 'separate',
  ),
  refused('steps', 'tasks of several steps are not supported'),
  reported('multi_step_reward_strategy', 'there are no steps'),
];

function isRoot(user: string | number | undefined): boolean {
  return user === undefined || user === 'root' || user === 0 || user === '0';
}

/** The rules that a task runs into, `reported` and `refused` only. */
export function concerningRules(task: TaskToml): KeyRule[] {
  return KEY_RULES.filter(
    (rule) => rule.treatment !== 'used' && (rule.concerns ?? (() => isSet(valueOf(task, rule.key))))(task),
  );
}

function valueOf(task: TaskToml, key: string): unknown {
  return key.split('.').reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], task);
}

function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 0 || value === '') return false;
  return typeof value === 'object' ? Object.keys(value).length > 0 : true;
}
