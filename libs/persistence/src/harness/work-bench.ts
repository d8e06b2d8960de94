import {
  names,
  Namespace,
  DEFAULT_TIMINGS,
  type ArtifactRef,
  type AttemptId,
  type GradeOutcome,
  type HeartbeatRequest,
  type PublicationOutcome,
  type RunId,
  type TrialOutcome,
  type WorkKey,
  type WorkKind,
} from '@assay/contracts';
import {
  aClaim,
  aResult,
  freshDatabase,
  seedRun,
  type ClaimSeed,
  type RunSeed,
  type TestDatabase,
} from '@assay/testing';
import {
  claim,
  Database,
  enqueueRun,
  expireLease,
  FrozenManifests,
  heartbeat,
  lapsedLeases,
  recordResult,
  release,
  type BadArtifact,
  type ClaimOutcome,
  type Followed,
  type HeartbeatOutcome,
  type RecordedResult,
  type WorkProtocol,
} from '../index';

export type Granted = Extract<ClaimOutcome, { answer: 'granted' }> & HeldWork;

/** A grant together with who has it. */
export interface HeldWork {
  readonly key: WorkKey;
  readonly claimId: HeartbeatRequest['claimId'];
  readonly worker: HeartbeatRequest['worker'];
  readonly epoch: number;
  readonly attemptId: AttemptId;
  readonly traceparent: string | null;
}

/** A row of work_items as tests look at it. */
export interface ItemRow {
  readonly state: 'OPEN' | 'DONE';
  readonly epoch: number;
  readonly claim_id: string | null;
  readonly lease_until: Date | null;
  readonly expired: boolean;
  readonly tries: number;
  readonly test_timeouts: number;
  readonly wants_idle: boolean;
  readonly run_at: Date;
  readonly published_at: Date | null;
  readonly refused_since: Date | null;
  readonly repairs: number;
}

/** The verbs of the work protocol over a real database, each call a transaction of its own as in the coordinator. */
export class WorkBench {
  private constructor(
    private readonly server: TestDatabase,
    readonly database: Database,
    readonly protocol: WorkProtocol,
  ) {}

  static async open(): Promise<WorkBench> {
    const server = await freshDatabase();
    const namespace = Namespace.parse('bench');
    const database = await Database.open({ url: server.url, namespace });
    await database.migrate();
    const protocol = { manifests: new FrozenManifests(), timings: DEFAULT_TIMINGS, names: names(namespace) };
    return new WorkBench(server, database, protocol);
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.server.drop();
  }

  async reset(): Promise<void> {
    await this.database.query('truncate runs, workers, streams cascade');
  }

  /** A run whose trials are open. */
  async submit(seed: RunSeed = {}): Promise<RunId> {
    const runId = await seedRun(this.database, seed);
    await this.database.transaction((sql) => enqueueRun(sql, runId, this.protocol));
    return runId;
  }

  claim(key: WorkKey, seed: ClaimSeed = {}, mayExpire = true): Promise<ClaimOutcome> {
    return claim(this.database, aClaim(key, seed), { ...this.protocol, mayExpire });
  }

  /** Claims and insists on the grant. */
  async grant(key: WorkKey, seed: ClaimSeed = {}): Promise<Granted> {
    const request = aClaim(key, seed);
    const reply = await this.claim(key, request);
    if (reply.answer !== 'granted') throw new Error(`not granted: ${JSON.stringify(reply)}`);
    return { ...reply, key, claimId: request.claimId, worker: request.worker };
  }

  beat(
    held: HeldWork,
    phase: HeartbeatRequest['phase'] = 'PREPARING',
    usage: HeartbeatRequest['usage'] = null,
  ): Promise<HeartbeatOutcome> {
    const { key, epoch, claimId, worker } = held;
    return heartbeat(this.database, { key, epoch, claimId, worker, phase, usage }, this.protocol.timings);
  }

  /** Claims, and beats once. */
  async start(key: WorkKey, seed: ClaimSeed = {}): Promise<Granted> {
    const granted = await this.grant(key, seed);
    const { answer } = await this.beat(granted);
    if (answer !== 'ok') throw new Error('not started');
    return granted;
  }

  release({ key, epoch, claimId, worker }: HeldWork): Promise<{ answer: string }> {
    return this.database.transaction((sql) => release(sql, { key, epoch, claimId, worker }));
  }

  record(
    held: HeldWork,
    outcome: TrialOutcome | GradeOutcome | PublicationOutcome,
    artifacts: readonly ArtifactRef[] = [],
    bad: readonly BadArtifact[] = [],
  ): Promise<RecordedResult> {
    const result = aResult(held, outcome, artifacts);
    return this.database.transaction((sql) => recordResult(sql, result, this.protocol, bad));
  }

  /** Lets the lease of a key lapse now, without waiting for it. */
  async lapse(key: WorkKey): Promise<void> {
    await this.set(key, "lease_until = now() - interval '1 second'");
  }

  /** Ends the wait of a key. */
  async makeDue(key: WorkKey): Promise<void> {
    await this.set(key, "run_at = now() - interval '1 minute'");
    await this.database.query('update outbox set available_at = now() where sent_at is null');
  }

  /** Sets columns of a key's row to SQL expressions. */
  async set({ kind, runId, instanceId }: WorkKey, assignments: string): Promise<void> {
    await this.database.query(
      `update work_items set ${assignments} where kind = $1 and run_id = $2 and instance_id = $3`,
      [kind, runId, instanceId],
    );
  }

  /** Expires every lapsed lease, as the sweep does; resolves with what followed, lease by lease. */
  async expireAll(): Promise<(Followed | null)[]> {
    const followed: (Followed | null)[] = [];
    for (const lease of await lapsedLeases(this.database, 100)) {
      followed.push(await this.database.transaction((sql) => expireLease(sql, lease, this.protocol)));
    }
    return followed;
  }

  async item({ kind, runId, instanceId }: WorkKey): Promise<ItemRow> {
    const rows = await this.database.query<ItemRow>(
      'select * from work_items where kind = $1 and run_id = $2 and instance_id = $3',
      [kind, runId, instanceId],
    );
    return only(rows);
  }

  async instance({ runId, instanceId }: WorkKey): Promise<Record<string, unknown>> {
    const sql = 'select * from instances where run_id = $1 and instance_id = $2';
    return only(await this.database.query<Record<string, unknown>>(sql, [runId, instanceId]));
  }

  async run(runId: RunId): Promise<Record<string, unknown>> {
    return only(await this.database.query<Record<string, unknown>>('select * from runs where id = $1', [runId]));
  }

  /** The tries of a kind in the order of their epochs. */
  tries(kind: WorkKind, runId: RunId): Promise<Record<string, unknown>[]> {
    const table = { trial: 'attempts', grade: 'grades', publication: 'publication_tries' }[kind];
    return this.database.query(`select * from ${table} where run_id = $1 order by epoch, instance_id`, [runId]);
  }

  /** Subjects of the lines that were not sent, with the wait that each has left, rounded to seconds. */
  async unsent(): Promise<{ subject: string; seconds: number }[]> {
    return this.database.query(
      `select subject, round(extract(epoch from available_at - created_at))::int as seconds from outbox
       where sent_at is null order by id`,
    );
  }

  async events(runId: RunId): Promise<string[]> {
    const rows = await this.database.query<{ type: string }>('select type from events where run_id = $1 order by id', [
      runId,
    ]);
    return rows.map(({ type }) => type);
  }
}

function only<Row>(rows: readonly Row[]): Row {
  const [row, ...others] = rows;
  if (row === undefined || others.length > 0) throw new Error(`expected one row, got ${rows.length}`);
  return row;
}
