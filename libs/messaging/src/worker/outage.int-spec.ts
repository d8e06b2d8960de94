import { eventually } from '@assay/testing';
import { onBench } from '../harness/bench';
import { FAST, keyOf, trialResult, untilAborted } from '../harness/builders';

/** Work that lasts until the test ends it. */
function endable() {
  const finish = new AbortController();
  const work = async (): Promise<typeof trialResult> => {
    await untilAborted(finish.signal).catch(() => undefined);
    return trialResult;
  };
  return {
    work,
    end: () => {
      finish.abort();
    },
  };
}

const rejections: unknown[] = [];
const note = (reason: unknown): void => void rejections.push(reason);
beforeAll(() => process.on('unhandledRejection', note));
afterAll(() => {
  process.off('unhandledRejection', note);
  expect(rejections).toEqual([]);
});

test('kill -9 of the server during work: the work goes on, its result is recorded and the message acked', () =>
  onBench(async (bench) => {
    const { work, end } = endable();
    await bench.worker({ kind: 'trial', work });
    await bench.wake(keyOf('a'));
    await eventually(() => bench.verbs.of('+WPI').length > 0);
    await bench.nats.kill();
    end();
    await eventually(() => bench.log.has('Work ended'));
    await bench.nats.restart();
    await eventually(() => bench.coordinator.item(keyOf('a')).finished, { timeoutMs: 20_000 });
    await eventually(async () => (await bench.pending()).inFlight === 0, { timeoutMs: 20_000 });
    await bench.wake(keyOf('b'));
    await eventually(() => bench.coordinator.item(keyOf('b')).finished, { timeoutMs: 20_000 });
  }));

test('a server that is away longer than the lease: the work comes back with a heartbeat, and nothing buffered is sent', () =>
  onBench(async (bench) => {
    const { work, end } = endable();
    await bench.worker({ kind: 'trial', work });
    await bench.wake(keyOf('a'));
    await eventually(() => bench.verbs.of('+WPI').length > 0);
    await bench.nats.kill();
    const away = performance.now();
    const warned = (): number => bench.log.lines.filter(({ sentence }) => sentence.startsWith('Heartbeat not')).length;
    await eventually(() => performance.now() - away > 1.2 * FAST.leaseMs && warned() > 2);
    await bench.nats.restart();
    await eventually(() => bench.coordinator.seen('heartbeat').some(({ at }) => at > away), { timeoutMs: 20_000 });
    end();
    await eventually(() => bench.coordinator.item(keyOf('a')).finished, { timeoutMs: 20_000 });
  }));

test('the store is lost and the streams are laid anew: loops pull again by themselves, running work is recorded', () =>
  onBench(async (bench) => {
    const { work, end } = endable();
    const before = await bench.provisioner.lay();
    await bench.worker({ kind: 'trial', slots: 2, work });
    await bench.wake(keyOf('a'));
    await eventually(() => bench.verbs.of('+WPI').length > 0);
    await bench.nats.kill();
    await bench.nats.loseStore();
    await bench.nats.restart();
    await eventually(() => bench.link.connected, { timeoutMs: 20_000 });
    await eventually(() => bench.log.has('Cannot pull; trying again until it works'), { timeoutMs: 20_000 });
    const after = await bench.provisioner.lay();
    expect(after.work).not.toBe(before.work);
    expect(after.results).not.toBe(before.results);
    await bench.wake(keyOf('b'));
    end();
    await eventually(() => bench.coordinator.item(keyOf('b')).finished, { timeoutMs: 20_000 });
    await eventually(() => bench.coordinator.item(keyOf('a')).finished, { timeoutMs: 20_000 });
    await eventually(() => bench.log.has('Pulling again'), { timeoutMs: 20_000 });
  }));

test('a worker that starts before there are any streams pulls as soon as they are laid', () =>
  onBench(async (bench) => {
    const manager = await bench.link.manager();
    await manager.streams.delete(bench.link.names.workStream);
    await bench.worker({ kind: 'trial', work: () => Promise.resolve(trialResult) });
    await eventually(() => bench.log.has('Cannot pull; trying again until it works'));
    await bench.provisioner.lay();
    await bench.wake(keyOf('a'));
    await eventually(() => bench.coordinator.item(keyOf('a')).finished, { timeoutMs: 20_000 });
  }));

test('a consumer laid anew under an idle and a working slot: both pull again', () =>
  onBench(async (bench) => {
    const { work, end } = endable();
    await bench.worker({ kind: 'trial', slots: 2, work });
    await bench.wake(keyOf('a'));
    await eventually(() => bench.verbs.of('+WPI').length > 0);
    await bench.provisioner.relayConsumer('trial');
    await bench.wake(keyOf('b'));
    end();
    for (const name of ['a', 'b']) {
      await eventually(() => bench.coordinator.item(keyOf(name)).finished, { timeoutMs: 20_000 });
    }
    await eventually(async () => {
      const { waiting, inFlight } = await bench.pending();
      return waiting + inFlight === 0;
    });
  }));
