import { TrialOutcome } from '@assay/contracts';
import { describeNeeding, freePort, missingTestImage, testImage } from '@assay/testing';
import { MENDABLE, TrialBench } from '../harness/trial-bench';

// The first sidecar's image is built here.
jest.setTimeout(60_000);

function probesIn(kind: 'process' | 'docker', baseImage: string | null): void {
  let bench: TrialBench;
  beforeEach(async () => {
    bench = await TrialBench.open();
  });
  afterEach(() => bench.close());

  async function steps(models?: Parameters<TrialBench['handler']>[1]) {
    const work = await bench.work(MENDABLE, { sandbox: kind, agent: 'probe' });
    const providers = bench.providers([kind], baseImage);
    const result = await bench.handler(providers, models).handle(work);
    // What the slots hold ready, a sidecar among it, goes before its images.
    await Promise.all([...providers.values()].map((provider) => provider.close()));
    expect(TrialOutcome.parse(result.outcome)).toMatchObject({ kind: 'completed', patch: null, usage: { calls: 0 } });
    const trajectory = result.artifacts.find(({ name }) => name === 'trajectory')!;
    const { steps: found } = JSON.parse((await bench.artifacts.get(trajectory)).toString('utf8')) as {
      steps: { message: string }[];
    };
    return found.map(({ message }) => message);
  }

  test('a sandbox is started and a command run in it, where there is no model', async () => {
    expect(await steps()).toEqual(['a command can be run']);
  });

  test('the gateway answers in it, and the model behind it is never asked', async () => {
    // Nobody listens there: whoever asked the model would fail.
    const models = await bench.models(`http://127.0.0.1:${await freePort()}`, 'sk-unused');
    expect(await steps(models)).toEqual(['a command can be run', 'the gateway answers']);
  });
}

describe('probes in the process sandbox', () => {
  probesIn('process', null);
});

describeNeeding(missingTestImage(), 'probes in sealed containers', () => {
  probesIn('docker', testImage());
});
