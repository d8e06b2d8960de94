import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Contents of files by their name relative to the folder; null: no such file. */
export type FolderContent = Readonly<Record<string, string | null>>;

/** The smallest Harbor task that is complete. */
export const MINIMAL_TASK: FolderContent = {
  'task.toml': 'schema_version = "1.1"\n',
  'instruction.md': 'Make it work.\n',
  'environment/Dockerfile': 'ARG BASE_IMAGE=node:22-bookworm\nFROM ${BASE_IMAGE}\nWORKDIR /app\n',
  'tests/test.sh': '#!/bin/bash\necho 1 > /logs/verifier/reward.txt\n',
  'solution/solve.sh': '#!/bin/bash\ntrue\n',
};

/** Writes files below `dir`; those that end in `.sh` are executable. */
export async function writeFolder(dir: string, content: FolderContent): Promise<string> {
  for (const [name, text] of Object.entries(content)) {
    if (text === null) continue;
    const file = join(dir, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { mode: name.endsWith('.sh') ? 0o755 : 0o644 });
  }
  return dir;
}

/** A minimal task folder at `dir`, changed as told. */
export function writeTask(dir: string, change: FolderContent = {}): Promise<string> {
  return writeFolder(dir, { ...MINIMAL_TASK, ...change });
}

/** Runs `work` with a new empty folder that is gone afterwards. */
export async function withTempDir<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'assay-test-'));
  try {
    return await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
