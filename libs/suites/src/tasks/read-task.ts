import { invalidFile } from '@assay/checked-files';
import type { Phase } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { HarborTask } from './harbor-task';
import { concerningRules } from './key-rules';
import { parseTaskToml } from './parse-task-toml';
import { resolveEnv } from './task-env';
import type { TaskToml } from './task-toml.schema';
import { lineOfKey } from './toml-lines';

const COMPOSE_FILES = ['docker-compose.yaml', 'docker-compose.yml', 'compose.yaml', 'compose.yml'];

/**
 * Reads a Harbor task folder (task.toml of schemas 1.0 to 1.4).
 * @param phase where in an instance's life this happens, for the blame
 * @throws TaskError `task_invalid` (malformed, wrong types, a file missing) or `task_unsupported` (needs what we do not
 * have), each with every reason at once
 */
export async function readTask(dir: string, phase: Phase = 'dispatch'): Promise<HarborTask> {
  const file = join(dir, 'task.toml');
  const text = await textOf(dir, 'task.toml', phase);
  const { toml, unknownKeys } = parseTaskToml(text, file, phase);
  const hasDockerfile = await isFile(join(dir, 'environment/Dockerfile'));
  const absent = await missingParts(dir, toml, hasDockerfile);
  if (absent.length > 0) {
    throw new TaskError(`${dir} is not a task folder: ${absent.join('; ')}`, {
      code: 'task_invalid',
      phase,
      details: { dir, absent },
    });
  }
  await refuseUnsupported(dir, text, toml, phase);
  const env = resolveEnv(toml.environment.env);
  const verifierEnv = resolveEnv(toml.verifier.env);
  const solutionEnv = resolveEnv(toml.solution.env);
  const hasSolution = await isFile(join(dir, 'solution/solve.sh'));
  const { docker_image: reference, cpus, memory_mb, memory, storage_mb, storage } = toml.environment;

  return {
    id: basename(resolve(dir)),
    schemaVersion: toml.schema_version ?? toml.version ?? null,
    about: toml.task ?? null,
    source: toml.source ?? null,
    metadata: toml.metadata,
    instruction: await textOf(dir, 'instruction.md', phase),
    environment: {
      image: reference === undefined ? { kind: 'build' } : { kind: 'reference', reference },
      buildTimeoutSeconds: toml.environment.build_timeout_sec,
      env: env.env,
      cpus: cpus ?? null,
      memoryMb: memory_mb ?? mebibytes(memory),
      diskMb: storage_mb ?? mebibytes(storage),
    },
    agent: { timeoutSeconds: toml.agent.timeout_sec ?? null },
    verifier: { timeoutSeconds: toml.verifier.timeout_sec, env: verifierEnv.env },
    solution: hasSolution ? { env: solutionEnv.env } : null,
    unknownKeys,
    warnings: [
      ...unknownKeys.map((key) => `${key}: unknown key, it has no effect`),
      ...concerningRules(toml).map(({ key, why }) => `${key}: has no effect, ${why}`),
      ...[...env.defaulted, ...verifierEnv.defaulted, ...solutionEnv.defaulted].map(
        (key) => `${key}: takes its default, nothing of the host's environment goes into a sandbox`,
      ),
      ...((await isFile(join(dir, 'pre_artifacts.sh'))) ? ['pre_artifacts.sh: is not run'] : []),
    ],
  };
}

async function missingParts(dir: string, toml: TaskToml, hasDockerfile: boolean): Promise<string[]> {
  const absent: string[] = [];
  if (!(await isFile(join(dir, 'instruction.md')))) absent.push('instruction.md is missing');
  else if ((await readFile(join(dir, 'instruction.md'), 'utf8')).trim() === '') absent.push('instruction.md is empty');
  if (!(await isFile(join(dir, 'tests/test.sh')))) absent.push('tests/test.sh is missing');
  const composed = (await composeFile(dir)) !== null;
  if (!hasDockerfile && toml.environment.docker_image === undefined && !composed) {
    absent.push('neither environment/Dockerfile nor environment.docker_image in task.toml');
  }
  return absent;
}

async function refuseUnsupported(dir: string, text: string, toml: TaskToml, phase: Phase): Promise<void> {
  const problems = concerningRules(toml)
    .filter(({ treatment }) => treatment === 'refused')
    .map(({ key, why }) => keyProblem(text, toml, key, `not supported: ${why}`));
  const tables = { 'environment.env': toml.environment, 'verifier.env': toml.verifier, 'solution.env': toml.solution };
  for (const [name, { env }] of Object.entries(tables)) {
    for (const { key, variable } of resolveEnv(env).missing) {
      const why = `not supported: nothing of the host's environment goes into a sandbox, write \${${variable}:-default}`;
      problems.push(keyProblem(text, toml, `${name}.${key}`, why));
    }
  }
  const compose = await composeFile(dir);
  if (compose !== null) {
    const expected = 'not supported: environments of docker compose';
    problems.push({ field: `environment/${compose}`, value: undefined, expected, line: null, column: null });
  }
  if (problems.length === 0) return;
  const file = join(dir, 'task.toml');
  throw invalidFile({ code: 'task_unsupported', phase, file, wanted: 'a task that can be run here', problems });
}

function keyProblem(text: string, toml: TaskToml, key: string, expected: string) {
  const path = key.split('.');
  const value = path.reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], toml);
  return { field: key, value, expected, line: lineOfKey(text, path), column: null };
}

async function composeFile(dir: string): Promise<string | null> {
  for (const name of COMPOSE_FILES) if (await isFile(join(dir, 'environment', name))) return name;
  return null;
}

async function textOf(dir: string, name: string, phase: Phase): Promise<string> {
  const file = join(dir, name);
  if (!(await isFile(file))) {
    throw new TaskError(`${dir} is not a task folder: ${name} is missing`, {
      code: 'task_invalid',
      phase,
      details: { dir, absent: [`${name} is missing`] },
    });
  }
  return readFile(file, 'utf8');
}

async function isFile(file: string): Promise<boolean> {
  return (await stat(file).catch(() => null))?.isFile() ?? false;
}

const UNITS: Readonly<Record<string, number>> = { K: 1 / 1024, M: 1, G: 1024, T: 1024 * 1024 };

/** `4G` in MiB, rounded up. */
function mebibytes(size: string | undefined): number | null {
  const match = /^([\d.]+)\s*([KMGT])/i.exec(size ?? '');
  if (match === null) return null;
  return Math.ceil(Number(match[1]) * (UNITS[(match[2] ?? '').toUpperCase()] ?? 1));
}
