import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface TaskSketch {
  readonly id: string;
  /** Seconds that the reference solution (the oracle agent) takes; default 0. */
  readonly solveSeconds?: number;
  /** Seconds that the tests take; default 0. */
  readonly testSeconds?: number;
}

/** Writes a Harbor task whose tests want the word `right` in answer.txt, which its solution writes. */
async function writeTask(dir: string, { id, solveSeconds = 0, testSeconds = 0 }: TaskSketch): Promise<void> {
  const files: Record<string, string> = {
    'task.toml': 'version = "1.0"\n\n[agent]\ntimeout_sec = 120\n\n[verifier]\ntimeout_sec = 60\n',
    'instruction.md': 'answer.txt must hold the word right.\n',
    'environment/Dockerfile': 'ARG BASE_IMAGE=node:22-bookworm\nFROM ${BASE_IMAGE}\nWORKDIR /app\nCOPY app/ /app/\n',
    'environment/app/answer.txt': 'wrong\n',
    'tests/test.sh': [
      '#!/bin/bash',
      `sleep ${testSeconds}`,
      'mkdir -p "${LOGS_DIR:-/logs}/verifier"',
      'if grep -qx right "${APP_DIR:-/app}/answer.txt"; then reward=1; else reward=0; fi',
      'echo "$reward" > "${LOGS_DIR:-/logs}/verifier/reward.txt"',
      '',
    ].join('\n'),
    'solution/solve.sh': `#!/bin/bash\nsleep ${solveSeconds}\necho right > "\${APP_DIR:-/app}/answer.txt"\n`,
  };
  for (const [name, content] of Object.entries(files)) {
    const file = join(dir, id, name);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, content);
    if (name.endsWith('.sh')) await chmod(file, 0o755);
  }
}

export interface SuiteSketch {
  readonly name: string;
  readonly agent: 'oracle' | 'nop' | 'mini' | { readonly name: string; readonly options: object };
  /** Beside 120 s of wall clock. */
  readonly limits?: object;
  readonly tasks: readonly TaskSketch[];
  readonly publish?: 'none' | 'counts';
  readonly errorThreshold?: number;
  /** Suites that follow on the same release. */
  readonly chain?: readonly string[];
}

/** Writes `<dir>/<name>.yaml` and its tasks below `<dir>/<name>-tasks`. */
export async function writeSuite(dir: string, sketch: SuiteSketch): Promise<void> {
  const tasksDir = `${sketch.name}-tasks`;
  for (const task of sketch.tasks) await writeTask(join(dir, tasksDir), task);
  const lines = [
    'schema: assay.suite/1',
    `name: ${sketch.name}`,
    `title: ${sketch.name}`,
    'dataset: { name: e2e, revision: "1" }',
    `source: { kind: harbor, path: ${tasksDir} }`,
    `publish: ${sketch.publish ?? 'none'}`,
    `errorThreshold: ${sketch.errorThreshold ?? 1}`,
    'sandbox: any',
    `agent: ${JSON.stringify(typeof sketch.agent === 'string' ? { name: sketch.agent } : sketch.agent)}`,
    `chain: ${JSON.stringify((sketch.chain ?? []).map((suite) => ({ suite })))}`,
    `limits: ${JSON.stringify({ wallSeconds: 120, ...sketch.limits })}`,
  ];
  await writeFile(join(dir, `${sketch.name}.yaml`), `${lines.join('\n')}\n`);
}
