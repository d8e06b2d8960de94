import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileArtifactStore } from '@assay/artifacts';
import {
  Namespace,
  REPLY_HEADER,
  ResultReply,
  RunId,
  scaleTimings,
  type ClaimReply,
  type HeartbeatReply,
  type HeartbeatRequest,
  type ReleaseReply,
  type ResultMessage,
  type WorkKey,
  type WorkKind,
} from '@assay/contracts';
import { connectNats, JetStreamPublisher, type NatsLink, RpcClient } from '@assay/messaging';
import { Database } from '@assay/persistence';
import { startService, type RunningService } from '@assay/service-kit';
import {
  aClaim,
  eventually,
  freshDatabase,
  seedRun,
  TestNats,
  type ClaimSeed,
  type RunSeed,
  workKey,
  type TestDatabase,
} from '@assay/testing';
import type { CoordinatorConfig } from '../config';
import { coordinator } from '../coordinator';

/** Durations of the work protocol, a fortieth: a lease of 2.25 s, a sweep every 0.25 s. */
export const SCALE = 0.025;
export const TIMINGS = scaleTimings(SCALE);
const NAMESPACE = Namespace.parse('assay');

export type Coordinator = RunningService<CoordinatorConfig>;

/** A grant and who has it. */
export interface Held {
  readonly key: WorkKey;
  readonly claimId: HeartbeatRequest['claimId'];
  readonly worker: HeartbeatRequest['worker'];
  readonly epoch: number;
}

/** A wake-up as it lies in the stream. */
export interface StoredWakeUp {
  readonly body: unknown;
  readonly sequence: number;
  readonly messageId: string;
  readonly traceparent: string;
}

/** Coordinators inside this process over servers of the test's own, and the hands of a worker that speaks to them. */
export class CoordinatorBench {
  readonly logs: Record<string, unknown>[] = [];
  readonly coordinators: Coordinator[] = [];
  private readonly announcing: NodeJS.Timeout[] = [];

  private constructor(
    private readonly server: TestDatabase,
    readonly database: Database,
    readonly nats: TestNats,
    readonly link: NatsLink,
    readonly dir: string,
  ) {}

  static async open(): Promise<CoordinatorBench> {
    const [server, nats] = await Promise.all([freshDatabase(), TestNats.start()]);
    const database = await Database.open({ url: server.url, namespace: NAMESPACE });
    await database.migrate();
    const link = await connectNats({ url: nats.url, name: 'test', namespace: NAMESPACE, reconnectMs: 50 });
    return new CoordinatorBench(server, database, nats, link, await mkdtemp(join(tmpdir(), 'assay-coordinator-')));
  }

  async close(): Promise<void> {
    for (const timer of this.announcing) clearInterval(timer);
    await Promise.all(this.coordinators.map((one) => one.stop()));
    await this.link.close();
    await this.database.close();
    await this.nats.stop();
    await this.server.drop();
    await rm(this.dir, { recursive: true, force: true });
  }

  /** @param deaf true: it sweeps and relays, but takes no results and answers nothing */
  async start({ deaf = false, env = {} }: { deaf?: boolean; env?: NodeJS.ProcessEnv } = {}): Promise<Coordinator> {
    const { strategy: _, ...withoutTransport } = coordinator;
    const started = await startService(
      deaf ? withoutTransport : coordinator,
      {
        DATABASE_URL: this.server.url,
        NATS_URL: this.nats.url,
        ASSAY_NAMESPACE: NAMESPACE,
        ASSAY_HTTP_PORT: '0',
        ASSAY_TIME_SCALE: String(SCALE),
        ASSAY_ARTIFACTS_DIR: join(this.dir, 'artifacts'),
        ASSAY_LOG_LEVEL: 'debug',
        ...env,
      },
      { write: (line: string) => void this.logs.push(JSON.parse(line) as Record<string, unknown>) },
    );
    this.coordinators.push(started);
    return started;
  }

  get artifacts(): FileArtifactStore {
    return new FileArtifactStore({ dir: join(this.dir, 'artifacts'), namespace: NAMESPACE });
  }

  private get rpc(): RpcClient {
    return new RpcClient(this.link, 2_000);
  }

  get call(): RpcClient['call'] {
    const { rpc } = this;
    return rpc.call.bind(rpc);
  }

  /** Seeds a run and sends its `run.submitted` message. */
  async submit(seed: RunSeed = {}): Promise<RunId> {
    const runId = await seedRun(this.database, seed);
    await this.sendSubmitted(runId);
    return runId;
  }

  async sendSubmitted(runId: RunId): Promise<void> {
    const publisher = new JetStreamPublisher(this.link);
    await publisher.publish(
      this.link.names.runSubmitted(runId),
      { runId },
      { messageId: randomUUID(), traceparent: null },
    );
  }

  /** A worker of the kind is there from now on, and says so as often as it should; it takes nothing. */
  async announce(kind: WorkKind, slots: number): Promise<void> {
    const { worker, buildDigest } = aClaim(workKey(RunId.parse('none'), kind), { worker: `announced-${kind}` });
    const say = () => this.call('announce', { worker, kind, slots, buildDigest });
    await say();
    // While the broker is away nobody hears it, as with a real worker.
    this.announcing.push(setInterval(() => void say().catch(() => undefined), TIMINGS.announceMs));
  }

  /** Holders live on, however long the test takes; `lapse` ends that. */
  async keepLeases(): Promise<void> {
    await this.database.query(
      "update work_items set lease_until = now() + interval '1 hour' where lease_until is not null",
    );
  }

  /** Every lease lapses now. */
  async lapse(): Promise<void> {
    await this.database.query(
      "update work_items set lease_until = now() - interval '1 s' where lease_until is not null",
    );
  }

  claim(key: WorkKey, seed: ClaimSeed = {}): Promise<ClaimReply> {
    return this.call('claim', aClaim(key, seed));
  }

  /** Claims and beats once; throws where that is not granted. */
  async hold(key: WorkKey, seed: ClaimSeed = {}): Promise<Held> {
    const request = aClaim(key, seed);
    const reply = await this.call('claim', request);
    if (reply.answer !== 'granted') throw new Error(`not granted: ${JSON.stringify(reply)}`);
    const held = { key, claimId: request.claimId, worker: request.worker, epoch: reply.epoch };
    const { answer } = await this.beat(held);
    if (answer !== 'ok') throw new Error('the first heartbeat was refused');
    return held;
  }

  beat(
    held: Held,
    phase: HeartbeatRequest['phase'] = 'PREPARING',
    usage: HeartbeatRequest['usage'] = null,
  ): Promise<HeartbeatReply> {
    return this.call('heartbeat', { ...held, phase, usage });
  }

  release(held: Held): Promise<ReleaseReply> {
    return this.call('release', held);
  }

  /** Stores a result in its stream; resolves whether the stream took it. */
  async send(message: ResultMessage, headers: Record<string, string> = {}): Promise<boolean> {
    const publisher = new JetStreamPublisher(this.link);
    const options = { messageId: randomUUID(), traceparent: null, headers };
    return (await publisher.publish(this.link.names.result(message.key), message, options)).stored;
  }

  /** Sends a result as a worker does and waits for the answer at its inbox. */
  async deliver(message: ResultMessage): Promise<ResultReply> {
    const inbox = `_INBOX.test.${randomUUID()}`;
    const subscription = this.link.connection.subscribe(inbox, { max: 1, timeout: 10_000 });
    await this.link.connection.flush();
    await this.send(message, { [REPLY_HEADER]: inbox });
    for await (const answer of subscription) return ResultReply.parse(answer.json());
    throw new Error('no answer');
  }

  /** The wake-up of a key as it lies in the stream, without taking it. */
  async wakeUp(key: WorkKey): Promise<StoredWakeUp | null> {
    const { names } = this.link;
    const manager = await this.link.manager();
    const message = await manager.streams.getMessage(names.workStream, { last_by_subj: names.work(key) });
    if (message === null) return null;
    return {
      body: message.json(),
      sequence: message.seq,
      messageId: message.header.get('Nats-Msg-Id'),
      traceparent: message.header.get('traceparent'),
    };
  }

  /** Waits until a key has a wake-up in the stream (another one than `before`, if that is given). */
  async woken(key: WorkKey, before: StoredWakeUp | null = null): Promise<StoredWakeUp> {
    const found: StoredWakeUp[] = [];
    await eventually(
      async () => {
        const now = await this.wakeUp(key);
        if (now !== null && now.sequence !== before?.sequence) found.push(now);
        return found.length > 0;
      },
      { timeoutMs: 20_000, what: `a wake-up of ${this.link.names.work(key)}` },
    );
    const [first] = found;
    if (first === undefined) throw new Error('no wake-up');
    return first;
  }

  /** Takes a wake-up out of the stream, as the acknowledgement of a worker does. */
  async acknowledge({ sequence }: StoredWakeUp): Promise<void> {
    const manager = await this.link.manager();
    await manager.streams.deleteMessage(this.link.names.workStream, sequence);
  }

  /** How many wake-ups the stream holds, delivered or not. */
  async stored(): Promise<number> {
    const manager = await this.link.manager();
    return (await manager.streams.info(this.link.names.workStream)).state.messages;
  }

  async instanceState({ runId, instanceId }: WorkKey): Promise<string | undefined> {
    const rows = await this.database.query<{ state: string }>(
      'select state from instances where run_id = $1 and instance_id = $2',
      [runId, instanceId],
    );
    return rows[0]?.state;
  }

  async runState(runId: RunId): Promise<string | undefined> {
    return (await this.database.query<{ state: string }>('select state from runs where id = $1', [runId]))[0]?.state;
  }

  /** How often a sentence was logged. */
  logged(sentence: string): number {
    return this.logs.filter(({ msg }) => msg === sentence).length;
  }
}
