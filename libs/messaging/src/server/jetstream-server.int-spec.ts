import { Catch, Controller, type ExceptionFilter } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { WorkerId, type CancelMessage, type ResultMessage, type RunSubmittedMessage, RunId } from '@assay/contracts';
import { AgentError, ContractError } from '@assay/failures';
import { eventually, TestNats } from '@assay/testing';
import { completed, FAST, keyOf, NAMESPACE } from '../harness/builders';
import { CapturedLog } from '../harness/captured-log';
import { startApp } from '../harness/test-worker';
import { VerbSpy } from '../harness/verb-spy';
import { connectNats } from '../nats/connect-nats';
import type { NatsLink } from '../nats/nats-link';
import { RpcClient } from '../rpc/rpc.client';
import type { RpcContext, RpcReply, RpcRequest } from '../rpc/rpc-types';
import { ControlPublisher } from '../streams/control-publisher';
import { JetStreamPublisher } from '../streams/jetstream-publisher';
import { StreamProvisioner } from '../streams/stream-provisioner';
import { CoreMessage, Rpc, StreamConsumer, WorkHandler } from './handlers';
import type { StreamContext } from './stream-patterns';
import { done, giveBack, lost, type Verdict } from './verdict';

let nats: TestNats;
let link: NatsLink;
let verbs: VerbSpy;
let log: CapturedLog;
let rpc: RpcClient;
const apps: { close(): Promise<unknown> }[] = [];

beforeEach(async () => {
  nats = await TestNats.start();
  link = await connectNats({ url: nats.url, name: 'test', namespace: NAMESPACE, reconnectMs: 50 });
  await new StreamProvisioner({ link, timings: FAST, logger: new CapturedLog() }).lay();
  verbs = new VerbSpy(link);
  log = new CapturedLog();
  rpc = new RpcClient(link, 1_000);
});

afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
  await link.close();
  await nats.stop();
});

async function start(...controllers: (new () => object)[]): Promise<{ close(): Promise<unknown> }> {
  const app = await startApp(controllers, { link, logger: log, stopGraceMs: 1_000 });
  apps.push(app);
  return app;
}

const worker = WorkerId.parse('w1');
const traceparent = `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`;

async function submit(run: string): Promise<void> {
  const runId = RunId.parse(run);
  const publisher = new JetStreamPublisher(link);
  await publisher.publish(link.names.runSubmitted(runId), { runId }, { messageId: run, traceparent });
}

function verbsFor(durable: string): string[] {
  return verbs.seen.filter(({ consumer }) => consumer === durable).map(({ verb }) => verb);
}

describe('request-reply', () => {
  test('a request is answered by its handler, which sees the body and the trace of the asker', async () => {
    const seen: unknown[] = [];
    @Controller()
    class Leases {
      @Rpc('leases.live')
      live(request: RpcRequest<'leases.live'>, context: RpcContext): Promise<RpcReply<'leases.live'>> {
        seen.push(request, context);
        return Promise.resolve({ live: [{ key: keyOf('a'), epoch: 3 }] });
      }
    }
    await start(Leases);
    const reply = await rpc.call('leases.live', { worker }, { traceparent });
    expect(reply).toEqual({ live: [{ key: keyOf('a'), epoch: 3 }] });
    expect(seen).toEqual([{ worker }, { traceparent }]);
  });

  test('of two processes that listen one gets a request', async () => {
    let asked = 0;
    @Controller()
    class Leases {
      @Rpc('leases.live')
      live(): Promise<RpcReply<'leases.live'>> {
        asked += 1;
        return Promise.resolve({ live: [] });
      }
    }
    await start(Leases);
    await start(Leases);
    for (let n = 0; n < 10; n += 1) await rpc.call('leases.live', { worker });
    expect(asked).toBe(10);
  });

  test.each([
    [
      'an error of ours keeps its code',
      new AgentError('boom', { code: 'agent_crashed', phase: 'agent' }),
      'agent_crashed',
    ],
    ['any other error is internal', new TypeError('boom'), 'internal'],
  ])('%s, is logged with its stack, and reaches the asker as a failure', async (_, error, remoteCode) => {
    @Controller()
    class Leases {
      @Rpc('leases.live')
      live(): Promise<RpcReply<'leases.live'>> {
        return Promise.reject(error);
      }
    }
    await start(Leases);
    await expect(rpc.call('leases.live', { worker })).rejects.toMatchObject({
      code: 'rpc_failed',
      blame: 'infra',
      message: expect.stringContaining('boom') as string,
      details: { rpc: 'leases.live', remoteCode },
    });
    expect(log.lines).toContainEqual({
      level: 'error',
      sentence: 'A request failed',
      fields: { rpc: 'leases.live', code: remoteCode, err: error },
    });
  });

  test("an app's own exception filters, inherited or not, do not hide what a handler threw", async () => {
    @Catch()
    class Hides implements ExceptionFilter {
      catch(): string {
        return 'hidden';
      }
    }
    @Controller()
    class Leases {
      @Rpc('leases.live')
      live(): never {
        throw new ContractError('synchronously', { code: 'malformed_result', phase: 'lease' });
      }
    }
    apps.push(await startApp([Leases], { link, logger: log, filters: [new Hides()] }));
    await expect(rpc.call('leases.live', { worker })).rejects.toMatchObject({
      details: { remoteCode: 'malformed_result' },
    });
  });

  test('a malformed request never reaches the handler; a malformed reply is never sent', async () => {
    let asked = 0;
    @Controller()
    class Leases {
      @Rpc('leases.live')
      live(): Promise<RpcReply<'leases.live'>> {
        asked += 1;
        return Promise.resolve({ live: 7 } as unknown as RpcReply<'leases.live'>);
      }
    }
    await start(Leases);
    const raw = await link.connection.request(link.names.rpc('leases.live'), '{"worker":1}', { timeout: 1_000 });
    expect(raw.headers?.get('assay-error')).toBe('rpc_bad_request');
    const garbage = await link.connection.request(link.names.rpc('leases.live'), 'no json', { timeout: 1_000 });
    expect(garbage.headers?.get('assay-error')).toBe('rpc_bad_request');
    expect(asked).toBe(0);
    await expect(rpc.call('leases.live', { worker })).rejects.toMatchObject({
      details: { remoteCode: 'rpc_bad_reply' },
    });
  });

  test('a request that is here when the server ends is still answered; a later one finds nobody', async () => {
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let asked = false;
    @Controller()
    class Leases {
      @Rpc('leases.live')
      async live(): Promise<RpcReply<'leases.live'>> {
        asked = true;
        await finished;
        return { live: [] };
      }
    }
    const app = await start(Leases);
    const asking = rpc.call('leases.live', { worker });
    await eventually(() => asked);
    const closing = app.close();
    await eventually(async () => {
      const late = await rpc.call('leases.live', { worker }, { timeoutMs: 100 }).catch((error: unknown) => error);
      return (late as { code?: string }).code === 'rpc_unavailable';
    });
    finish();
    await expect(asking).resolves.toEqual({ live: [] });
    await closing;
  });
});

describe('stream consumers', () => {
  /** A consumer of submitted runs that answers one verdict after the other and keeps what it saw. */
  function consumerOf(...verdicts: (Verdict | Error)[]) {
    const seen: { message: RunSubmittedMessage; context: StreamContext }[] = [];
    @Controller()
    class Runs {
      @StreamConsumer('run.submitted')
      take(message: RunSubmittedMessage, context: StreamContext): Promise<Verdict> {
        const verdict = verdicts[seen.length] ?? done();
        seen.push({ message, context });
        return verdict instanceof Error ? Promise.reject(verdict) : Promise.resolve(verdict);
      }
    }
    return { Runs, seen };
  }

  test('done acks the message', async () => {
    const { Runs, seen } = consumerOf();
    await start(Runs);
    await submit('run-1');
    await eventually(() => verbsFor('t_runs').length === 1);
    expect(verbsFor('t_runs')).toEqual(['+ACK']);
    expect(seen).toEqual([
      { message: { runId: 'run-1' }, context: { subject: 't.run.submitted.run-1', traceparent, deliveryCount: 1 } },
    ]);
  });

  test('giveBack delivers it again after the delay', async () => {
    const { Runs, seen } = consumerOf(giveBack(300));
    await start(Runs);
    await submit('run-1');
    await eventually(() => verbsFor('t_runs').length === 2);
    expect(verbsFor('t_runs')).toEqual(['-NAK', '+ACK']);
    expect(verbs.seen[0]?.delayMs).toBe(300);
    expect(seen.map(({ context }) => context.deliveryCount)).toEqual([1, 2]);
  });

  test('lost sends no verb: it comes again after the ack deadline', async () => {
    const { Runs, seen } = consumerOf(lost);
    await start(Runs);
    await submit('run-1');
    await eventually(() => seen.length === 2);
    await eventually(() => verbsFor('t_runs').length === 1);
    expect(verbsFor('t_runs')).toEqual(['+ACK']);
  });

  test('a throw gives it back with a delay and is logged: no error of a handler is swallowed', async () => {
    const error = new Error('database is gone');
    const { Runs, seen } = consumerOf(error);
    await start(Runs);
    await submit('run-1');
    await eventually(() => verbsFor('t_runs').length === 2);
    expect(verbsFor('t_runs')).toEqual(['-NAK', '+ACK']);
    expect(verbs.seen[0]?.delayMs).toBeGreaterThan(0);
    expect(seen).toHaveLength(2);
    expect(log.lines).toContainEqual(
      expect.objectContaining({ level: 'error', fields: { subject: 't.run.submitted.run-1', err: error } }),
    );
  });

  test('a message that takes longer than its ack deadline is kept by in-progress', async () => {
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let taken = 0;
    @Controller()
    class Runs {
      @StreamConsumer('run.submitted', { concurrency: 2 })
      async take(): Promise<Verdict> {
        taken += 1;
        await finished;
        return done();
      }
    }
    await start(Runs);
    await submit('run-1');
    await eventually(() => verbsFor('t_runs').length > 6);
    expect(taken).toBe(1);
    finish();
    await eventually(() => verbsFor('t_runs').at(-1) === '+ACK');
  });

  test('a result is answered where its sender waits, after the ack', async () => {
    @Controller()
    class Results {
      @StreamConsumer('result.*')
      take(message: ResultMessage): Promise<Verdict> {
        return Promise.resolve(done({ answer: message.epoch === 1 ? 'recorded' : 'already_recorded' }));
      }
    }
    await start(Results);
    const answers: unknown[] = [];
    link.connection.subscribe('inbox.1', {
      callback: (_, message) => {
        answers.push(message.json(), verbsFor('t_results'));
      },
    });
    const key = keyOf('a');
    const message = {
      kind: 'trial',
      key,
      epoch: 1,
      claimId: '00000000-0000-4000-8000-000000000000',
      worker,
      artifacts: [],
      outcome: completed,
    };
    await new JetStreamPublisher(link).publish(link.names.result(key), message, {
      messageId: 'r1',
      traceparent,
      headers: { 'assay-reply': 'inbox.1' },
    });
    await eventually(() => answers.length === 2);
    expect(answers).toEqual([{ answer: 'recorded' }, ['+ACK']]);
  });

  test('a malformed message is thrown away, logged, and refused where its sender waits', async () => {
    const { Runs, seen } = consumerOf();
    await start(Runs);
    const answers: unknown[] = [];
    link.connection.subscribe('inbox.1', {
      callback: (_, message) => {
        answers.push(message.json());
      },
    });
    await new JetStreamPublisher(link).publish(
      't.run.submitted.x',
      { runId: '' },
      {
        messageId: 'x',
        traceparent: null,
        headers: { 'assay-reply': 'inbox.1' },
      },
    );
    await eventually(() => answers.length === 1);
    expect(verbsFor('t_runs')).toEqual(['+TERM']);
    expect(answers).toEqual([{ answer: 'refused', reason: 'malformed result' }]);
    expect(log.has('Malformed message thrown away')).toBe(true);
    expect(seen).toEqual([]);
  });

  test('a handler that runs when the server ends is waited for, and its message acked', async () => {
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let taken = 0;
    @Controller()
    class Runs {
      @StreamConsumer('run.submitted')
      async take(): Promise<Verdict> {
        taken += 1;
        await finished;
        return done();
      }
    }
    const app = await start(Runs);
    await submit('run-1');
    await submit('run-2');
    await eventually(() => taken === 1);
    const closing = app.close();
    finish();
    await closing;
    await eventually(() => verbsFor('t_runs').includes('+ACK'));
    expect(taken).toBe(1);
  });
});

test('a control message reaches every process; a handler that throws is logged', async () => {
  const seen: CancelMessage[] = [];
  @Controller()
  class Control {
    @CoreMessage('control.cancel')
    cancel(message: CancelMessage): Promise<void> {
      seen.push(message);
      return seen.length === 1 ? Promise.resolve() : Promise.reject(new Error('no'));
    }
  }
  await start(Control);
  await start(Control);
  const message = { runId: RunId.parse('run.1'), instanceId: null };
  new ControlPublisher(link).cancel(message);
  await eventually(() => log.has('Handler of a control message failed'));
  expect(seen).toEqual([message, message]);
});

describe('handlers that cannot be right end the start with one clear error', () => {
  test('two for one pattern', async () => {
    const { Leases } = leases();
    @Controller()
    class Twice {
      @Rpc('leases.live')
      live(): Promise<RpcReply<'leases.live'>> {
        return Promise.resolve({ live: [] });
      }
    }
    await expect(start(Leases, Twice)).rejects.toMatchObject({ code: 'duplicate_handler' });
  });

  test("one with Nest's own decorator", async () => {
    @Controller()
    class Foreign {
      @EventPattern('something')
      take(): void {
        throw new Error('never called');
      }
    }
    await expect(start(Foreign)).rejects.toMatchObject({ code: 'unknown_handler' });
  });

  test('one of work in a process that is no worker', async () => {
    @Controller()
    class Work {
      @WorkHandler('trial')
      take(): never {
        throw new Error('never called');
      }
    }
    await expect(start(Work)).rejects.toMatchObject({ code: 'no_worker' });
  });

  function leases() {
    @Controller()
    class Leases {
      @Rpc('leases.live')
      live(): Promise<RpcReply<'leases.live'>> {
        return Promise.resolve({ live: [] });
      }
    }
    return { Leases };
  }
});
