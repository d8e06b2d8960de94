import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AckPolicy, jetstream, jetstreamManager, RetentionPolicy } from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import {
  DEFAULT_TIMINGS,
  names,
  Namespace,
  type ImagesNeededReply,
  type ImagesNeededRequest,
  type WorkKey,
} from '@assay/contracts';
import { TestNats } from './servers';

/** What is refused is given back for 300 ms. */
const SCALE = 300 / DEFAULT_TIMINGS.refusedDelayMs;
const NAMESPACE = Namespace.parse('waiting');

/**
 * One wake-up in the work stream of a nats-server of its own, and an ear for claims in the coordinator's place, which it
 * answers with `done`: for tests of what a worker does before it claims.
 */
export class WaitingWork {
  private heard = 0;

  private constructor(
    private readonly nats: TestNats,
    private readonly connection: NatsConnection,
    private readonly dir: string,
  ) {}

  static async of(key: WorkKey): Promise<WaitingWork> {
    const nats = await TestNats.start();
    const connection = await connect({ servers: nats.url });
    const waiting = new WaitingWork(nats, connection, await mkdtemp(join(tmpdir(), 'assay-waiting-')));
    await waiting.lay(key);
    return waiting;
  }

  /** Claims that came so far. */
  get claims(): number {
    return this.heard;
  }

  /** Settings of a worker that is to find the work, durations scaled down; folders are its own. */
  get env(): Record<string, string> {
    return {
      NATS_URL: this.nats.url,
      ASSAY_NAMESPACE: NAMESPACE,
      ASSAY_TIME_SCALE: String(SCALE),
      ASSAY_HTTP_PORT: '0',
      ASSAY_ARTIFACTS_DIR: join(this.dir, 'artifacts'),
      ASSAY_WORK_DIR: join(this.dir, 'work'),
    };
  }

  async stop(): Promise<void> {
    await this.connection.close();
    await this.nats.stop();
    await rm(this.dir, { recursive: true, force: true });
  }

  /** Answers which images are needed from now on; the returned list grows by what was asked for. */
  tellImages(reply: ImagesNeededReply): ImagesNeededRequest[] {
    const asked: ImagesNeededRequest[] = [];
    this.connection.subscribe(names(NAMESPACE).rpc('images.needed'), {
      callback: (_, message) => {
        asked.push(message.json<ImagesNeededRequest>());
        message.respond(JSON.stringify(reply));
      },
    });
    return asked;
  }

  private async lay(key: WorkKey): Promise<void> {
    const { workStream, workAll, workDurable, workFilter, work, rpc } = names(NAMESPACE);
    const manager = await jetstreamManager(this.connection);
    await manager.streams.add({ name: workStream, subjects: [workAll], retention: RetentionPolicy.Workqueue });
    await manager.consumers.add(workStream, {
      durable_name: workDurable(key.kind),
      filter_subject: workFilter(key.kind),
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(DEFAULT_TIMINGS.leaseMs * SCALE),
    });
    this.connection.subscribe(rpc('claim'), {
      callback: (_, message) => {
        this.heard += 1;
        message.respond(JSON.stringify({ answer: 'done' }));
      },
    });
    await jetstream(this.connection).publish(work(key), JSON.stringify({ key }));
  }
}
