import type { INestApplication } from '@nestjs/common';
import type { Namespace, Timings, WorkKey, WorkKind } from '@assay/contracts';
import { TestNats } from '@assay/testing';
import { connectNats } from '../nats/connect-nats';
import type { NatsLink } from '../nats/nats-link';
import { JetStreamPublisher, type Published } from '../streams/jetstream-publisher';
import { StreamProvisioner } from '../streams/stream-provisioner';
import { FAST, NAMESPACE } from './builders';
import { CapturedLog } from './captured-log';
import { TestCoordinator } from './test-coordinator';
import { startWorker, type TestWorkerOptions } from './test-worker';
import { VerbSpy } from './verb-spy';

/** A real server of a test's own with streams, a coordinator in memory, and whatever workers the test starts. */
export class Bench {
  readonly log = new CapturedLog();
  private readonly open: { close(): Promise<unknown> }[] = [];
  private messages = 0;

  private constructor(
    readonly nats: TestNats,
    readonly link: NatsLink,
    readonly timings: Timings,
    readonly provisioner: StreamProvisioner,
    readonly coordinator: TestCoordinator,
    readonly verbs: VerbSpy,
  ) {}

  static async start(timings: Timings = FAST): Promise<Bench> {
    const nats = await TestNats.start();
    const link = await linkTo(nats, 'coordinator');
    const provisioner = new StreamProvisioner({ link, timings, logger: new CapturedLog() });
    await provisioner.lay();
    return new Bench(nats, link, timings, provisioner, new TestCoordinator(link).start(), new VerbSpy(link));
  }

  /** A connection of its own, closed with the bench. */
  async connect(name: string, namespace: Namespace = NAMESPACE): Promise<NatsLink> {
    const link = await linkTo(this.nats, name, namespace);
    this.open.push(link);
    return link;
  }

  async worker<K extends WorkKind>(
    options: Pick<TestWorkerOptions<K>, 'kind' | 'work'> & Partial<TestWorkerOptions<K>>,
  ): Promise<INestApplication> {
    const link = options.link ?? (await this.connect('worker'));
    const app = await startWorker({ logger: this.log, timings: this.timings, ...options, link });
    this.open.unshift(app);
    return app;
  }

  /** Publishes the wake-up of a key. */
  async wake(key: WorkKey, traceparent: string | null = null): Promise<Published> {
    this.messages += 1;
    const publisher = new JetStreamPublisher(this.link);
    return await publisher.publish(this.link.names.work(key), { key }, { messageId: `m${this.messages}`, traceparent });
  }

  async pending(kind: WorkKind = 'trial'): Promise<{ waiting: number; inFlight: number }> {
    return await this.provisioner.pendingOf(kind);
  }

  private async closeParts(): Promise<void> {
    for (const part of this.open) await part.close();
  }

  async stop(): Promise<void> {
    await Promise.all([this.coordinator.stop(), this.closeParts()]);
    await this.link.close();
    await this.nats.stop();
  }
}

/** Runs `body` on a bench of its own, and stops the bench whatever happens. */
export async function onBench(body: (bench: Bench) => Promise<void>): Promise<void> {
  const bench = await Bench.start();
  try {
    await body(bench);
  } finally {
    await bench.stop();
  }
}

function linkTo(nats: TestNats, name: string, namespace: Namespace = NAMESPACE): Promise<NatsLink> {
  return connectNats({ url: nats.url, name, namespace, reconnectMs: 50 });
}
