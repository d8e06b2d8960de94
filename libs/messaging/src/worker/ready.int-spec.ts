import { eventually } from '@assay/testing';
import { onBench } from '../harness/bench';
import { keyOf, trialResult } from '../harness/builders';

const key = keyOf('ready-1');

test('a worker that cannot work now claims nothing, gives the message back, and claims it once it can', () =>
  onBench(async (bench) => {
    let full = true;
    let asked = 0;
    const ready = (): Promise<void> => {
      asked += 1;
      return full ? Promise.reject(new Error('disk full')) : Promise.resolve();
    };
    await bench.worker({ kind: 'trial', work: () => Promise.resolve(trialResult), worker: { ready } });
    await bench.wake(key);
    await eventually(() => asked > 1);
    expect(bench.coordinator.seen('claim')).toEqual([]);
    expect(bench.verbs.seen[0]?.verb).toMatch(/^-NAK/);
    full = false;
    await eventually(() => bench.coordinator.results.length === 1);
    expect(bench.coordinator.seen('claim')).toHaveLength(1);
  }));
