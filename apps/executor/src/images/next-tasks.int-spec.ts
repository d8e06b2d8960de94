import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NextImage } from '@assay/contracts';
import { Scratch } from '@assay/sandbox';
import { MENDABLE, TrialBench } from '../harness/trial-bench';
import { NextTasks } from './next-tasks';

describe('a task that comes next', () => {
  let bench: TrialBench;
  beforeEach(async () => {
    bench = await TrialBench.open();
  });
  afterEach(() => bench.close());

  const tasks = (): NextTasks => new NextTasks(bench.artifacts, new Scratch(join(bench.workDir, 'trials')));
  const left = (): Promise<string[]> => readdir(join(bench.workDir, 'trials'));

  async function next(change: Partial<NextImage> = {}): Promise<NextImage> {
    const { id, source, bundle, image } = (await bench.work(MENDABLE)).spec.instance;
    return NextImage.parse({ id, source, bundle, image, ...change });
  }

  test('is unpacked for the context of its image, and nothing of it is left', async () => {
    const task = await tasks().open(await next());
    expect(await readFile(join(task.contextDir ?? '', 'Dockerfile'), 'utf8')).toContain('FROM');
    await task.close();
    expect(await left()).toEqual([]);
  });

  test('needs no context where it is a row of SWE-bench', async () => {
    const task = await tasks().open(await next({ source: 'swebench' }));
    expect(task.contextDir).toBeNull();
    await task.close();
    expect(await left()).toEqual([]);
  });

  test('whose bundle is not in the store leaves nothing', async () => {
    const { bundle } = await next();
    const lost = await next({ bundle: { ...bundle, digest: 'f'.repeat(64) as typeof bundle.digest } });
    await expect(tasks().open(lost)).rejects.toThrow();
    expect(await left()).toEqual([]);
  });
});
