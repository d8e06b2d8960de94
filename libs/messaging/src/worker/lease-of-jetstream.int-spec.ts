import type { Consumer, JsMsg } from '@nats-io/jetstream';
import { eventually } from '@assay/testing';
import { Bench, onBench } from '../harness/bench';
import { FAST, keyOf, trialResult } from '../harness/builders';

/**
 * What the server does with leases and with verbs of a former holder. Contracts of nats-server that the design stands
 * on (measured on 2.9.10, 2.10.27, 2.15.1): if one of these fails, a newer server fences, and we want to know.
 */
const key = keyOf('a');

async function consumerOf(bench: Bench): Promise<Consumer> {
  return await bench.link.jetstream.consumers.get(bench.link.names.workStream, bench.link.names.workDurable('trial'));
}

async function take(consumer: Consumer): Promise<JsMsg> {
  const message = await consumer.next({ expires: 5_000 });
  if (message === null) throw new Error('no message within 5 s');
  return message;
}

/** A takes the message and lets its lease lapse, then B gets it as its second delivery. */
async function zombieAndHolder(bench: Bench): Promise<{ stale: JsMsg; held: JsMsg; consumer: Consumer }> {
  const consumer = await consumerOf(bench);
  await bench.wake(key);
  const stale = await take(consumer);
  const held = await take(consumer);
  expect([stale.info.deliveryCount, held.info.deliveryCount]).toEqual([1, 2]);
  return { stale, held, consumer };
}

test('a message that is not acked is delivered again after the lease, to a worker that claims it', () =>
  onBench(async (bench) => {
    await bench.wake(key);
    await take(await consumerOf(bench));
    const taken = performance.now();
    await bench.worker({ kind: 'trial', work: () => Promise.resolve(trialResult) });
    await eventually(() => bench.coordinator.item(key).finished);
    const [claim] = bench.coordinator.seen('claim');
    expect(claim!.at - taken).toBeGreaterThanOrEqual(FAST.leaseMs - 100);
    expect(claim!.at - taken).toBeLessThan(2 * FAST.leaseMs);
  }));

test('in-progress moves the whole lease', () =>
  onBench(async (bench) => {
    const consumer = await consumerOf(bench);
    await bench.wake(key);
    const message = await take(consumer);
    const taken = performance.now();
    await eventually(() => performance.now() - taken > FAST.leaseMs / 2);
    message.working();
    await take(consumer);
    expect(performance.now() - taken).toBeGreaterThanOrEqual(1.5 * FAST.leaseMs - 100);
  }));

test.each(['ack', 'term'] as const)("a former holder's %s deletes the message under the present one", (verb) =>
  onBench(async (bench) => {
    const { stale } = await zombieAndHolder(bench);
    stale[verb]();
    await eventually(async () => (await bench.pending()).inFlight === 0);
    expect(await bench.provisioner.deleteMessageOf(key)).toBe(false);
  }),
);

test("a former holder's nak hands the message to a third at once", () =>
  onBench(async (bench) => {
    const { stale, consumer } = await zombieAndHolder(bench);
    const since = performance.now();
    stale.nak();
    const third = await take(consumer);
    expect(third.info.deliveryCount).toBe(3);
    expect(performance.now() - since).toBeLessThan(FAST.leaseMs / 2);
  }));

test("a former holder's in-progress prolongs the present one's lease", () =>
  onBench(async (bench) => {
    const { stale, consumer } = await zombieAndHolder(bench);
    const since = performance.now();
    await eventually(() => performance.now() - since > FAST.leaseMs / 2);
    stale.working();
    await take(consumer);
    expect(performance.now() - since).toBeGreaterThanOrEqual(1.5 * FAST.leaseMs - 100);
  }));

test('a message given back with a delay longer than the lease comes after that delay', () =>
  onBench(async (bench) => {
    const consumer = await consumerOf(bench);
    await bench.wake(key);
    const message = await take(consumer);
    const since = performance.now();
    message.nak(FAST.leaseMs * 1.5);
    await take(consumer);
    expect(performance.now() - since).toBeGreaterThanOrEqual(FAST.leaseMs * 1.5 - 50);
  }));
