import { InstanceId, RunId } from '@assay/contracts';
import { eventually } from '@assay/testing';
import { onBench } from '../harness/bench';
import { keyOf, untilAborted } from '../harness/builders';
import { ControlPublisher } from '../streams/control-publisher';

test('a cancel message stops the work of its run only, and nothing is sent for it', () =>
  onBench(async (bench) => {
    const reasons = new Map<string, unknown>();
    await bench.worker({
      kind: 'trial',
      slots: 2,
      work: ({ key, signal }) =>
        untilAborted(signal).catch((error: unknown) => {
          reasons.set(key.runId, error);
          throw error;
        }),
    });
    await bench.wake(keyOf('a', { run: 'run.1' }));
    await bench.wake(keyOf('a', { run: 'run.2' }));
    await eventually(() => bench.verbs.of('+WPI').length === 2);
    const beats = bench.coordinator.seen('heartbeat').length;
    new ControlPublisher(bench.link).cancel({ runId: RunId.parse('run.1'), instanceId: null });
    await eventually(() => reasons.size === 1);
    expect(reasons.get('run.1')).toMatchObject({ code: 'work_cancelled', blame: 'infra' });
    await eventually(() => bench.coordinator.seen('heartbeat').length > beats + 3);
    const later = bench.coordinator.seen('heartbeat').slice(beats + 1);
    expect(later.map(({ request }) => request.key.runId)).not.toContain('run.1');
    const first = bench.verbs.seen.filter(({ delivery }) => delivery === 1);
    expect(first.every(({ verb }) => verb === '+WPI')).toBe(true);
    expect(bench.coordinator.results).toEqual([]);
  }));

test('a cancel message for one instance leaves the others of its run alone; a malformed one is logged', () =>
  onBench(async (bench) => {
    const stopped: string[] = [];
    await bench.worker({
      kind: 'trial',
      slots: 2,
      work: ({ key, signal }) =>
        untilAborted(signal).catch((error: unknown) => {
          stopped.push(key.instanceId);
          throw error;
        }),
    });
    await bench.wake(keyOf('a'));
    await bench.wake(keyOf('b'));
    await eventually(() => bench.verbs.of('+WPI').length === 2);
    bench.link.connection.publish(bench.link.names.cancel(RunId.parse('run-1')), '{"runId":"run-1"}');
    await eventually(() => bench.log.has('Malformed control message ignored'));
    expect(stopped).toEqual([]);
    new ControlPublisher(bench.link).cancel({ runId: RunId.parse('run-1'), instanceId: InstanceId.parse('b') });
    await eventually(() => stopped.length > 0);
    expect(stopped).toEqual(['b']);
  }));
