import { TaskError } from '@assay/failures';
import { writeTask } from '@assay/testing';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentSeconds, verifierSeconds } from './harbor-task';
import { readTask } from './read-task';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-task-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const task = (toml: string, change: Record<string, string | null> = {}) =>
  writeTask(join(root, 'a-task'), { 'task.toml': toml, ...change });

async function refusalOf(dir: string): Promise<TaskError> {
  const error: unknown = await readTask(dir).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(TaskError);
  return error as TaskError;
}

test('a task that says nothing has the defaults of the format', async () => {
  expect(await readTask(await task(''))).toEqual({
    id: 'a-task',
    schemaVersion: null,
    about: null,
    source: null,
    metadata: {},
    instruction: 'Make it work.\n',
    environment: {
      image: { kind: 'build' },
      buildTimeoutSeconds: 600,
      env: {},
      cpus: null,
      memoryMb: null,
      diskMb: null,
    },
    agent: { timeoutSeconds: null },
    verifier: { timeoutSeconds: 600, env: {} },
    solution: { env: {} },
    unknownKeys: [],
    warnings: [],
  });
});

test('every value that is used arrives', async () => {
  const dir = await task(`
schema_version = "1.4"
source = "terminal-bench"
[task]
name = "assay/a-task"
description = "words"
keywords = ["a", "b"]
authors = [{ name = "Ada", email = "ada@example.org" }]
[metadata]
difficulty = "easy"
nested = { tags = ["x"] }
[agent]
timeout_sec = 90.5
[verifier]
timeout_sec = 30
env = { LEVEL = "2" }
[environment]
docker_image = "example/image:1"
build_timeout_sec = 12
cpus = 2
memory_mb = 512
storage_mb = 1024
env = { TZ = "UTC" }
[solution]
env = { FAST = "1" }
`);
  const read = await readTask(dir);
  expect(read).toMatchObject({
    schemaVersion: '1.4',
    source: 'terminal-bench',
    about: { name: 'assay/a-task', keywords: ['a', 'b'], authors: [{ name: 'Ada', email: 'ada@example.org' }] },
    metadata: { difficulty: 'easy', nested: { tags: ['x'] } },
    environment: {
      image: { kind: 'reference', reference: 'example/image:1' },
      buildTimeoutSeconds: 12,
      env: { TZ: 'UTC' },
      cpus: 2,
      memoryMb: 512,
      diskMb: 1024,
    },
    agent: { timeoutSeconds: 90.5 },
    verifier: { timeoutSeconds: 30, env: { LEVEL: '2' } },
    solution: { env: { FAST: '1' } },
    warnings: [],
  });
});

test.each(['1.0', '1.1', '1.2', '1.3', '1.4'])('schema %s is read, under either name of the key', async (version) => {
  expect((await readTask(await task(`schema_version = "${version}"`))).schemaVersion).toBe(version);
  expect((await readTask(await task(`version = "${version}"`))).schemaVersion).toBe(version);
});

test.each([
  ['512M', 512],
  ['4G', 4096],
  ['1.5 GiB', 1536],
  ['1T', 1024 * 1024],
  ['100K', 1],
])('the old form memory = "%s" is %d MiB', async (size, expected) => {
  const dir = await task(`[environment]\nmemory = "${size}"\nstorage = "${size}"`);
  expect((await readTask(dir)).environment).toMatchObject({ memoryMb: expected, diskMb: expected });
});

test('a task without solution/solve.sh has no solution', async () => {
  expect((await readTask(await task('', { 'solution/solve.sh': null }))).solution).toBeNull();
});

test('a named image needs no Dockerfile', async () => {
  const dir = await task('[environment]\ndocker_image = "x"', { 'environment/Dockerfile': null });
  expect((await readTask(dir)).environment.image).toEqual({ kind: 'reference', reference: 'x' });
});

test('unknown keys at every depth are reported by their path, and the task is read all the same', async () => {
  const dir = await task('flavour = 1\n[agent]\ntimout_sec = 5\n[metadata]\nanything = 1\n[[task.authors]]\nx = 1');
  const error = await refusalOf(dir);
  expect(error.message).toContain('task.name: expected a string');
  const read = await readTask(
    await task('flavour = 1\n[agent]\ntimout_sec = 5\n[environment.healthcheck2]\na = 1\n[metadata]\nanything = 1'),
  );
  expect([...read.unknownKeys].sort()).toEqual(['agent.timout_sec', 'environment.healthcheck2', 'flavour']);
  expect(read.warnings).toContain('agent.timout_sec: unknown key, it has no effect');
});

test('keys without effect here are reported by name', async () => {
  const dir = await task(
    `artifacts = ["out"]
[agent]
network_mode = "public"
[verifier]
network_mode = "no-network"
environment_mode = "shared"
[environment]
build_timeout_sec = 1801
allow_internet = true
skills_dir = "skills"
env = { LEVEL = "\${LEVEL:-2}" }
`,
    { 'pre_artifacts.sh': 'true\n' },
  );
  const read = await readTask(dir);
  expect(read.environment.env).toEqual({ LEVEL: '2' });
  expect(read.warnings.map((warning) => warning.split(':')[0])).toEqual([
    'agent.network_mode',
    'verifier.network_mode',
    'verifier.environment_mode',
    'environment.build_timeout_sec',
    'environment.allow_internet',
    'environment.skills_dir',
    'artifacts',
    'LEVEL',
    'pre_artifacts.sh',
  ]);
});

test('values that ask for nothing are neither reported nor refused', async () => {
  const dir = await task(`
[agent]
network_mode = "no-network"
user = "root"
[verifier]
environment_mode = "separate"
user = 0
[environment]
os = "linux"
build_timeout_sec = 1800
gpus = 0
gpu_types = []
allow_internet = false
mcp_servers = []
`);
  expect((await readTask(dir)).warnings).toEqual([]);
});

test.each([
  ['[[steps]]\nname = "one"', 'steps'],
  ['[environment]\nos = "windows"', 'environment.os'],
  ['[environment]\ngpus = 1', 'environment.gpus'],
  ['[environment]\ngpu_types = ["h100"]', 'environment.gpu_types'],
  ['[environment.tpu]\ntype = "v5"', 'environment.tpu'],
  ['[[environment.mcp_servers]]\nname = "x"', 'environment.mcp_servers'],
  ['[environment]\nworkdir = "/srv"', 'environment.workdir'],
  ['[environment.healthcheck]\ncommand = "true"', 'environment.healthcheck'],
  ['[agent]\nuser = "dev"', 'agent.user'],
  ['[verifier]\nuser = 1000', 'verifier.user'],
  ['[verifier.environment]\ndocker_image = "x"', 'verifier.environment'],
  ['[[verifier.collect]]\ncommand = "x"', 'verifier.collect'],
  ['artifacts = ["a"]\n[verifier]\nenvironment_mode = "separate"', 'artifacts'],
  ['[verifier.env]\nKEY = "${OPENAI_API_KEY}"', 'verifier.env.KEY'],
  ['[environment.env]\nKEY = "${HOME}"', 'environment.env.KEY'],
  ['[solution.env]\nKEY = "${HOME}"', 'solution.env.KEY'],
])('%j is refused by name', async (toml, key) => {
  const error = await refusalOf(await task(toml));
  expect(error.code).toBe('task_unsupported');
  expect(error.message).toContain(` ${key}: not supported: `);
});

test('an environment of docker compose is refused by its file', async () => {
  const compose = await task('', {
    'environment/docker-compose.yaml': 'services: {}\n',
    'environment/Dockerfile': null,
  });
  expect((await refusalOf(compose)).message).toContain('environment/docker-compose.yaml: not supported');
});

test('all that is not supported is told at once, with its lines', async () => {
  const error = await refusalOf(await task('[environment]\nos = "windows"\ngpus = 2\n'));
  expect(error.message).toMatch(/\n {2}2 environment\.os: .*got "windows"\n {2}3 environment\.gpus: .*got 2$/);
});

test.each([
  ['[agent]\ntimeout_sec = "soon"', '2 agent.timeout_sec: expected a number, got "soon"'],
  ['[agent]\ntimeout_sec = 0', '2 agent.timeout_sec: expected more than 0, got 0'],
  ['[agent]\ntimeout_sec = nan', '2 agent.timeout_sec: expected a number'],
  ['[verifier]\n\n\ntimeout_sec = inf', '4 verifier.timeout_sec: expected a number'],
  ['agent = 3', '1 agent: expected an object, got 3'],
  ['[environment]\nmemory_mb = 1.5', '2 environment.memory_mb: expected a whole number, got 1.5'],
  ['[environment]\nmemory = "lots"', '2 environment.memory: expected a size such as 512M or 4G, got "lots"'],
  ['[environment]\nenv = { A = 1 }', '2 environment.env.A: expected a string, got 1'],
  ['[environment.env]\nA = 1', '2 environment.env.A: expected a string, got 1'],
  ['[environment]\nnetwork_mode = "some"', 'expected "public" or "no-network" or "allowlist", got "some"'],
  ['[task]\nname = "no-org"', '2 task.name: expected org/name, got "no-org"'],
  ['[task]\nname = "../up"', '2 task.name: expected org/name'],
  ['schema_version = "2.0"', '1 schema_version: expected "1.0" or "1.1"'],
  ['schema_version = 1.1', '1 schema_version: expected "1.0"'],
  ['schema_version = "1.1"\nversion = "1.2"', '2 version: expected the same as schema_version (1.1)'],
  ['[[steps]]\n[metadata', '(syntax): expected TOML'],
  ['a = 1\na = 2', '2:'],
])('%j is refused with line, field, expectation and value', async (toml, expected) => {
  const error = await refusalOf(await task(toml));
  expect(error).toMatchObject({ code: 'task_invalid', phase: 'dispatch' });
  expect(error.message).toContain(expected);
  expect(error.message).toContain(join(root, 'a-task', 'task.toml'));
});

test('all that is wrong is told at once', async () => {
  const error = await refusalOf(await task('[agent]\ntimeout_sec = -1\n[verifier]\ntimeout_sec = "x"\n'));
  expect(error.message.split('\n')).toHaveLength(3);
  expect(error.details['problems']).toEqual([
    { field: 'agent.timeout_sec', value: -1, expected: 'expected more than 0', line: 2, column: null },
    { field: 'verifier.timeout_sec', value: 'x', expected: 'expected a number', line: 4, column: null },
  ]);
});

test.each([
  ['task.toml', 'task.toml is missing'],
  ['instruction.md', 'instruction.md is missing'],
  ['tests/test.sh', 'tests/test.sh is missing'],
  ['environment/Dockerfile', 'neither environment/Dockerfile nor environment.docker_image'],
])('a folder without %s is no task', async (missing, expected) => {
  const error = await refusalOf(await task('', { [missing]: null }));
  expect(error.code).toBe('task_invalid');
  expect(error.message).toContain(expected);
});

test('an instruction without words is no instruction', async () => {
  expect((await refusalOf(await task('', { 'instruction.md': ' \n' }))).message).toContain('instruction.md is empty');
});

test('a folder named test.sh is not a script', async () => {
  const dir = await task('', { 'tests/test.sh': null });
  await mkdir(join(dir, 'tests/test.sh'), { recursive: true });
  expect((await refusalOf(dir)).message).toContain('tests/test.sh is missing');
});

test('the blame carries the phase that it is read in', async () => {
  await expect(readTask(join(root, 'nothing'), 'prepare')).rejects.toMatchObject({ phase: 'prepare', blame: 'task' });
});

test('the shorter of the two timeouts holds', async () => {
  const read = await readTask(await task('[agent]\ntimeout_sec = 90\n[verifier]\ntimeout_sec = 30'));
  expect(agentSeconds(read, { wallSeconds: 7200 })).toBe(90);
  expect(agentSeconds(read, { wallSeconds: 60 })).toBe(60);
  expect(verifierSeconds(read, { timeoutSeconds: 1800 })).toBe(30);
  expect(verifierSeconds(read, { timeoutSeconds: 10 })).toBe(10);
  expect(agentSeconds(await readTask(await task('')), { wallSeconds: 7200 })).toBe(7200);
});
