import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes the suite `nop` with that many tasks below `dir`: nothing to do, tests that fail at once. */
export async function writeSuite(dir, instances) {
  for (let index = 0; index < instances; index += 1) {
    const task = join(dir, 'tasks', `task-${String(index).padStart(5, '0')}`);
    const files = {
      'task.toml': 'version = "1.0"\n',
      'instruction.md': 'Nothing to do.\n',
      'environment/Dockerfile': 'ARG BASE_IMAGE=node:22-bookworm\nFROM ${BASE_IMAGE}\nWORKDIR /app\nCOPY app/ /app/\n',
      'environment/app/file.txt': 'text\n',
      'tests/test.sh': '#!/bin/bash\necho 0 > "$LOGS_DIR/verifier/reward.txt"\n',
    };
    for (const [name, content] of Object.entries(files)) {
      await mkdir(join(task, name, '..'), { recursive: true });
      await writeFile(join(task, name), content);
    }
    await chmod(join(task, 'tests/test.sh'), 0o755);
  }
  const lines = [
    'schema: assay.suite/1',
    'name: nop',
    'title: Nothing, many times',
    'dataset: { name: bench, revision: "1" }',
    'source: { kind: harbor, path: tasks }',
    'publish: none',
    `errorThreshold: ${instances}`,
    'sandbox: process',
    'agent: { name: nop }',
    '',
  ];
  await writeFile(join(dir, 'nop.yaml'), lines.join('\n'));
}
