import { cp, lstat, mkdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { TaskError } from '@assay/failures';
import { hostEntries } from '../host-tree';
import type { ConfinedRoot } from './confined';
import type { DockerfilePlan } from './dockerfile';
import { standardPaths } from './layout';

/** Makes the folders of a fresh sandbox and does what the Dockerfile's lines say, below the sandbox's root. */
export async function layOut(root: ConfinedRoot, plan: DockerfilePlan, contextDir: string): Promise<void> {
  await mkdir(root.dir);
  const { logs } = standardPaths(root.dir);
  for (const dir of [join(root.dir, 'home'), join(root.dir, 'tmp'), logs]) await root.makeFolder(dir);
  for (const name of ['agent', 'verifier', 'artifacts']) await root.makeFolder(join(logs, name));
  await root.makeFolder(root.locate(plan.workdir, '/'));
  await refuseEscapes(contextDir);
  for (const step of plan.steps) {
    if (step.kind === 'workdir') {
      await root.makeFolder(root.locate(step.dir, '/'));
      continue;
    }
    for (const source of step.sources) await copy(root, join(contextDir, source), step.target, step.line);
  }
}

/** COPY of one source: the content of a folder goes into the target, a file becomes it or goes into it. */
async function copy(root: ConfinedRoot, source: string, target: string, line: number): Promise<void> {
  const kind = await lstat(source).catch(() => null);
  if (kind === null) {
    throw new TaskError(`the Dockerfile copies ${basename(source)}, which is not there (line ${line})`, {
      code: 'copy_source_missing',
      phase: 'prepare',
      details: { line },
    });
  }
  const at = root.locate(target.replace(/\/+$/, '') || '/', '/');
  const options = { recursive: true, force: true, verbatimSymlinks: true, mode: 0 } as const;
  if (kind.isDirectory()) {
    await root.makeFolder(at);
    await cp(source, at, options);
    return;
  }
  const intoFolder = target.endsWith('/') || (await stat(at).catch(() => null))?.isDirectory() === true;
  await root.makeFolder(intoFolder ? at : dirname(at));
  await cp(source, intoFolder ? join(at, basename(source)) : at, options);
}

/** Walks the whole context once, so that a link that leads out of it is refused before anything is copied. */
async function refuseEscapes(contextDir: string): Promise<void> {
  const walk = hostEntries(contextDir, 'prepare');
  while ((await walk.next()).done !== true);
}
