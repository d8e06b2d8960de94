import { type ImageSource, type Manifest, type RunId, WorkerId } from '@assay/contracts';
import { aFailure, aManifest, completedTrial, failedTrial, graded, workKey } from '@assay/testing';
import { WorkBench } from '../harness/work-bench';
import { announceWorker, neededImages, nextImages } from '../index';

let bench: WorkBench;
beforeAll(async () => {
  bench = await WorkBench.open();
});
afterAll(() => bench.close());
beforeEach(() => bench.reset());

const worker = WorkerId.parse('w-1');
const BUILD = 'b'.repeat(64);

const named = (reference: string): ImageSource => ({ kind: 'reference', reference });

/** A run in docker whose instances have these images. */
function docker(images: Record<string, string>, seed: Partial<Manifest> = {}): Manifest {
  const manifest = aManifest({ instances: Object.keys(images) });
  const instances = manifest.instances.map((frozen) => ({ ...frozen, image: named(images[frozen.id] ?? '') }));
  return { ...manifest, sandbox: 'docker', ...seed, instances };
}

const submit = (images: Record<string, string>, seed: Partial<Manifest> = {}): Promise<RunId> =>
  bench.submit({ manifest: docker(images, seed) });
async function needed(limit = 100): Promise<unknown[]> {
  return (await neededImages(bench.database, limit)).map((image) => image.kind === 'reference' && image.reference);
}
async function next(limit = 100): Promise<unknown[]> {
  return (await nextImages(bench.database, worker, limit)).map(({ id, image }) => [
    id,
    image.kind === 'reference' && image.reference,
  ]);
}

describe('the images that open runs need', () => {
  test('are those of instances that are not terminal, each once, in the order of their instances', async () => {
    const runId = await submit({ 'i-1': 'one', 'i-2': 'two', 'i-3': 'one', 'i-4': 'four' });
    expect(await needed()).toEqual(['one', 'two', 'four']);
    await bench.record(await bench.start(workKey(runId, 'trial', 'i-2')), failedTrial(aFailure('agent')));
    expect(await needed()).toEqual(['one', 'four']);
  });

  test('come first where work on them is under way or a grade is due, and last where the run is paused', async () => {
    const paused = await submit({ 'i-1': 'paused' });
    await bench.database.query('update runs set paused = true where id = $1', [paused]);
    const runId = await submit({ 'i-1': 'later', 'i-2': 'leased', 'i-3': 'graded' });
    await bench.start(workKey(runId, 'trial', 'i-2'));
    await bench.record(await bench.start(workKey(runId, 'trial', 'i-3')), completedTrial());
    const all = await needed();
    expect(all.slice(0, 2).sort()).toEqual(['graded', 'leased']);
    expect(all.slice(2)).toEqual(['later', 'paused']);
  });

  test('are needed until the grade is done, and by another run still', async () => {
    const runId = await submit({ 'i-1': 'shared', 'i-2': 'own' });
    await submit({ 'i-1': 'shared' });
    for (const instance of ['i-1', 'i-2']) {
      await bench.record(await bench.start(workKey(runId, 'trial', instance)), completedTrial());
    }
    expect((await needed()).sort()).toEqual(['own', 'shared']);
    for (const instance of ['i-1', 'i-2']) {
      await bench.record(await bench.start(workKey(runId, 'grade', instance)), graded('RESOLVED'));
    }
    expect(await needed()).toEqual(['shared']);
  });

  test('are not told of runs in the process sandbox, and no more than asked for', async () => {
    await submit({ 'i-1': 'no engine' }, { sandbox: 'process' });
    await submit({ 'i-1': 'one', 'i-2': 'two' });
    expect(await needed()).toEqual(['one', 'two']);
    expect(await needed(1)).toEqual(['one']);
  });
});

describe('the images that come next', () => {
  test('are those of trials that nobody holds, the soonest due first, each once, with what they are made from', async () => {
    const runId = await submit({ 'i-1': 'one', 'i-2': 'two', 'i-3': 'two', 'i-4': 'four' });
    expect(await next()).toEqual([
      ['i-1', 'one'],
      ['i-2', 'two'],
      ['i-4', 'four'],
    ]);
    await bench.start(workKey(runId, 'trial', 'i-1'));
    await bench.set(workKey(runId, 'trial', 'i-2'), "run_at = now() + interval '1 hour'");
    await bench.set(workKey(runId, 'trial', 'i-3'), "run_at = now() + interval '2 hours'");
    expect(await next(1)).toEqual([['i-4', 'four']]);
    expect(await next()).toEqual([
      ['i-4', 'four'],
      ['i-2', 'two'],
    ]);
    const [first] = await nextImages(bench.database, worker, 1);
    expect(first).toMatchObject({ source: 'harbor', bundle: { name: 'task_bundle' } });
    expect(await next(0)).toEqual([]);
  });

  test('are not of paused runs, nor of runs that are frozen to another build than the worker has', async () => {
    const paused = await submit({ 'i-1': 'paused' });
    await bench.database.query('update runs set paused = true where id = $1', [paused]);
    await submit({ 'i-1': 'frozen' }, { buildDigest: BUILD as Manifest['buildDigest'] });
    expect(await next()).toEqual([]);
    await announceWorker(bench.database, { worker, kind: 'trial', slots: 1, buildDigest: BUILD as never });
    expect(await next()).toEqual([['i-1', 'frozen']]);
  });
});
