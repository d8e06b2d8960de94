import { WorkerId, type RunId } from '@assay/contracts';
import { aFailure, aManifest, aResult, completedTrial, eventually, failedTrial, graded, workKey } from '@assay/testing';
import { NatsLink } from '@assay/messaging';
import { Cancellation } from './cancellation';
import { CoordinatorBench, type Held } from '../harness/test-coordinator';

// Design section 3a over a real nats-server: what a worker meets.

let bench: CoordinatorBench;
let runId: RunId;
beforeAll(async () => {
  bench = await CoordinatorBench.open();
  await bench.start();
  await bench.announce('trial', 4);
  await bench.announce('grade', 4);
});
afterEach(() => bench.call('run.cancel', { runId }));
afterAll(() => bench.close());

/** Stores what the outcome of a completed trial names. */
async function storedTrial() {
  const patch = await bench.artifacts.put('patch', 'text/x-diff', Buffer.from('--- a\n+++ b\n'));
  const trajectory = await bench.artifacts.put('trajectory', 'application/json', Buffer.from('{}'));
  return completedTrial({ patch, trajectory });
}

const trial = (instance = 'i-1') => workKey(runId, 'trial', instance);
const attempts = () => bench.database.query('select state from attempts where run_id = $1 order by epoch', [runId]);

async function submit(instances: readonly string[] = ['i-1'], backoffSeconds = 0): Promise<void> {
  runId = await bench.submit({ manifest: aManifest({ instances, retry: { backoffSeconds } }) });
  await eventually(async () => {
    const rows = await bench.database.query('select 1 from work_items where run_id = $1', [runId]);
    return rows.length === instances.length;
  });
}

describe('a run', () => {
  test('whose message is delivered three times has each trial opened, and wakes somebody, once', async () => {
    await submit(['i-1', 'i-2']);
    await bench.sendSubmitted(runId);
    await bench.sendSubmitted(runId);
    await eventually(async () => {
      const manager = await bench.link.manager();
      return (await manager.streams.info(bench.link.names.runStream)).state.messages === 0;
    });
    const lines = await bench.database.query("select 1 from outbox where run_id = $1 and topic = 'work.trial'", [
      runId,
    ]);
    expect(lines).toHaveLength(2);
  });

  test('goes from its message to its verdict, and ends', async () => {
    await submit();
    const held = await bench.hold(trial());
    expect(await bench.deliver(aResult(held, await storedTrial()))).toEqual({ answer: 'recorded' });
    const grade = await bench.hold(workKey(runId, 'grade'));
    expect(await bench.deliver(aResult(grade, graded('RESOLVED')))).toEqual({ answer: 'recorded' });
    expect(await bench.instanceState(trial())).toBe('RESOLVED');
    expect(await bench.runState(runId)).toBe('SUCCEEDED');
  });
});

describe('a result', () => {
  test('is answered at the inbox of its header after it was committed, and its message is gone', async () => {
    await submit();
    const held = await bench.hold(trial());
    expect(await bench.deliver(aResult(held, await storedTrial()))).toEqual({ answer: 'recorded' });
    expect(await bench.instanceState(trial())).toBe('GRADING');
    const manager = await bench.link.manager();
    await eventually(async () => (await manager.streams.info(bench.link.names.resultStream)).state.messages === 0);
  });

  test('delivered three times is recorded once and answered three times', async () => {
    await submit();
    const message = aResult(await bench.hold(trial()), await storedTrial());
    const answers = [await bench.deliver(message), await bench.deliver(message), await bench.deliver(message)];
    expect(answers.map(({ answer }) => answer)).toEqual(['recorded', 'already_recorded', 'already_recorded']);
  });

  test('that nobody waits for is recorded all the same', async () => {
    await submit();
    await bench.send(aResult(await bench.hold(trial()), await storedTrial()));
    await eventually(async () => (await bench.instanceState(trial())) === 'GRADING');
  });
});

describe('a holder that was thought dead', () => {
  /** A held the work, was silent, and B was granted it. */
  async function overtaken(): Promise<{ a: Held; b: Held }> {
    await submit();
    const a = await bench.hold(trial(), { worker: 'worker-a' });
    await bench.lapse();
    await eventually(async () => (await bench.instanceState(trial())) === 'RETRY_WAIT');
    return { a, b: await bench.hold(trial(), { worker: 'worker-b' }) };
  }

  test('is told so at its heartbeat, and its result and release are refused, while the other goes on', async () => {
    const { a, b } = await overtaken();
    expect(b.epoch).toBeGreaterThan(a.epoch);
    expect(await bench.beat(a)).toMatchObject({ answer: 'lost' });
    expect(await bench.release(a)).toMatchObject({ answer: 'lost' });
    expect(await bench.deliver(aResult(a, await storedTrial()))).toMatchObject({ answer: 'refused' });
    expect(await bench.beat(b)).toMatchObject({ answer: 'ok' });
    expect(await bench.deliver(aResult(b, await storedTrial()))).toEqual({ answer: 'recorded' });
    expect(await attempts()).toEqual([{ state: 'LOST' }, { state: 'COMPLETED' }]);
    expect(bench.logged('Heartbeat of a lost lease refused')).toBeGreaterThan(0);
    expect(bench.logged('Result refused')).toBeGreaterThan(0);
  });
});

describe('work', () => {
  test('that was given back is granted to the next at once, with a higher epoch and the same attempt number', async () => {
    await submit();
    const first = await bench.hold(trial());
    expect(await bench.release(first)).toEqual({ answer: 'ok' });
    expect(await bench.claim(trial(), { worker: 'w-2' })).toMatchObject({ answer: 'granted', attempt: 1, epoch: 3 });
  });

  test('that failed by our fault is published again when its wait is over, and not before', async () => {
    await submit(['i-1'], 1);
    const first = await bench.woken(trial());
    const held = await bench.hold(trial());
    await bench.deliver(aResult(held, failedTrial()));
    await bench.acknowledge(first);
    const failedAt = Date.now();
    expect(await bench.claim(trial())).toEqual({ answer: 'waiting' });
    const again = await bench.woken(trial());
    expect(Date.now() - failedAt).toBeGreaterThan(700);
    expect(again.messageId).not.toBe(first.messageId);
    expect(await bench.claim(trial())).toMatchObject({ answer: 'granted', attempt: 2 });
  });

  test('of the agent’s fault is over at once', async () => {
    await submit();
    await bench.deliver(aResult(await bench.hold(trial()), failedTrial(aFailure('agent', 'agent_crashed'))));
    expect(await bench.instanceState(trial())).toBe('EXECUTION_ERROR');
    expect(await bench.runState(runId)).toBe('QUARANTINED');
  });

  test('is named among the live leases while it is held', async () => {
    await submit();
    const held = await bench.hold(trial());
    const live = await bench.call('leases.live', { worker: held.worker });
    expect(live.live).toContainEqual({ key: held.key, epoch: held.epoch });
    await bench.release(held);
    expect((await bench.call('leases.live', { worker: held.worker })).live).not.toContainEqual({
      key: held.key,
      epoch: held.epoch,
    });
  });
});

test('a worker is told which images open runs want, all of them, and as many of the next as it asks for', async () => {
  const image = (reference: string) => ({ kind: 'reference', reference }) as const;
  const frozen = aManifest({ instances: ['i-1', 'i-2', 'i-3'] });
  const instances = frozen.instances.map((instance) => ({ ...instance, image: image(instance.id) }));
  runId = await bench.submit({ manifest: { ...frozen, sandbox: 'docker', instances } });
  const ask = (next: number) => bench.call('images.needed', { worker: WorkerId.parse('w-1'), next });
  await eventually(async () => (await ask(3)).next.length === 3);
  await bench.hold(trial());
  expect(await ask(1)).toMatchObject({
    needed: [image('i-1'), image('i-2'), image('i-3')],
    complete: true,
    next: [{ id: 'i-2', image: image('i-2') }],
  });
  await bench.call('run.cancel', { runId });
  expect(await ask(1)).toEqual({ needed: [], complete: true, next: [] });
});

describe('a cancel', () => {
  test('closes everything, purges the stream, tells who runs it, and answers with what it did', async () => {
    await submit(['i-1', 'i-2', 'i-3']);
    const held = await bench.hold(trial());
    const heard: string[] = [];
    const subscription = bench.link.connection.subscribe(bench.link.names.cancelAll, {
      callback: (_, message) => void heard.push(message.string()),
    });
    await bench.link.connection.flush();
    const reply = await bench.call('run.cancel', { runId });
    expect(reply).toEqual({ answer: 'ok', runId, state: 'QUARANTINED', cancelledInstances: 3 });
    await eventually(() => heard.length === 1);
    expect(JSON.parse(heard[0] ?? '')).toEqual({ runId, instanceId: null });
    subscription.unsubscribe();
    expect(await bench.beat(held)).toMatchObject({ answer: 'lost' });
    expect(await bench.claim(trial('i-2'))).toEqual({ answer: 'done' });
    const manager = await bench.link.manager();
    const subjects = await manager.streams.info(bench.link.names.workStream, {
      subjects_filter: bench.link.names.workOfRun(runId),
    });
    expect(subjects.state.subjects ?? {}).toEqual({});
  });

  test('of a run that is over changes nothing, and of one that is not there is unknown', async () => {
    await submit();
    await bench.call('run.cancel', { runId });
    expect(await bench.call('run.cancel', { runId })).toEqual({
      answer: 'ok',
      runId,
      state: 'QUARANTINED',
      cancelledInstances: 0,
    });
    expect(await bench.call('run.cancel', { runId: 'nowhere' as RunId })).toEqual({ answer: 'unknown' });
  });
});

test('a cancel stands although nobody can be told of it: what fails after the commit changes no state', async () => {
  await submit(['i-1', 'i-2']);
  const broker = await bench.start({ deaf: true });
  await broker.app.get(NatsLink).connection.close();
  expect(await broker.app.get(Cancellation).cancel(runId)).toEqual({
    answer: 'ok',
    runId,
    state: 'QUARANTINED',
    cancelledInstances: 2,
  });
  expect(await bench.runState(runId)).toBe('QUARANTINED');
  expect(bench.logged('Workers could not be told of a cancelled run; their heartbeats will')).toBe(1);
});

test('a wake-up carries ids and nothing else, and the trace of its instance', async () => {
  const root = `00-${'e'.repeat(32)}-${'f'.repeat(16)}-01`;
  runId = await bench.submit({ traceparent: root });
  expect(await bench.woken(trial())).toMatchObject({ body: { key: trial() }, traceparent: root });
});
