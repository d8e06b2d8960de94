import { randomUUID } from 'node:crypto';
import {
  ClaimId,
  type Notification,
  type NotificationEvent,
  type NotificationOutcome,
  type NotificationsNextReply,
  NotificationTarget,
  RunId,
} from '@assay/contracts';
import { aFailure, aManifest, failedTrial, seedRun, workKey } from '@assay/testing';
import { WorkBench } from '../harness/work-bench';
import { cancelRun, getRun, nextNotifications, notePackageLate, runRecord, settleNotification } from '../index';

let bench: WorkBench;
beforeAll(async () => {
  bench = await WorkBench.open();
});
afterAll(() => bench.close());
beforeEach(() => bench.reset());

const EVERYTHING: NotificationEvent[] = [
  'run.ended',
  'run.quarantined',
  'run.stalled',
  'package.late',
  'publication.refused',
];
const target = (name: string, events: NotificationEvent[] = EVERYTHING): NotificationTarget =>
  NotificationTarget.parse({ name, events });
const OPS = target('ops');
const TIMEOUT: NotificationOutcome = { kind: 'failed', reason: 'answered 503', final: false, retryAfterMs: null };

interface Asked {
  readonly claimId?: ClaimId;
  readonly targets?: readonly NotificationTarget[];
}

const aClaimId = (): ClaimId => ClaimId.parse(randomUUID());

function next({ claimId = aClaimId(), targets = [OPS] }: Asked = {}): Promise<NotificationsNextReply['due']> {
  return bench.database
    .transaction((sql) => nextNotifications(sql, { claimId, targets: [...targets] }, { leaseMs: 90_000 }))
    .then(({ due }) => due);
}

function settle(id: string, claimId: ClaimId, outcome: NotificationOutcome): Promise<{ answer: string }> {
  return bench.database.transaction((sql) => settleNotification(sql, { id, claimId, outcome }, { sweepMs: 10_000 }));
}

const told = (due: NotificationsNextReply['due']): string[] => due.map(({ notification }) => notification.event).sort();
const only = (due: NotificationsNextReply['due']): Notification => {
  const [one, ...others] = due;
  if (one === undefined || others.length > 0) throw new Error(`expected one, got ${due.length}`);
  return one.notification;
};
const later = (interval: string): Promise<unknown> =>
  bench.database.query(`update notifications set next_at = next_at - $1::interval, at = at - $1::interval`, [interval]);

/** A run whose only trial is the agent's fault: QUARANTINED with a threshold of one. */
async function quarantined(): Promise<RunId> {
  const release = { repository: 'example/agent', id: 7, tag: 'v1.0.0' };
  const runId = await bench.submit({ manifest: aManifest({ suite: { errorThreshold: 1 } }), release });
  await bench.record(await bench.start(workKey(runId)), failedTrial(aFailure('agent', 'agent_crashed')));
  return runId;
}

async function cancelledWhileItWaited(): Promise<RunId> {
  const runId = await seedRun(bench.database);
  await bench.database.query(`update runs set state = 'WAITING' where id = $1`, [runId]);
  await bench.database.transaction((sql) => cancelRun(sql, runId, bench.protocol));
  return runId;
}

describe('an event is told', () => {
  test('of a quarantine: that the run ended, and that it has no score, with the reasons', async () => {
    const runId = await quarantined();
    const due = await next();
    expect(told(due)).toEqual(['run.ended', 'run.quarantined']);
    const quarantine = due.find(({ notification: { event } }) => event === 'run.quarantined');
    expect(quarantine?.notification).toMatchObject({
      schemaVersion: 'assay.notification/1',
      message: `The run ${runId} of demo is quarantined: it has no score.`,
      run: {
        ...{ id: runId, state: 'QUARANTINED', publicationState: 'PENDING', scorePercent: null },
        release: { repository: 'example/agent', tag: 'v1.0.0' },
        reasons: expect.arrayContaining([expect.objectContaining({ code: 'nothing_scorable' })]) as unknown,
      },
    });
  });

  test('of a run that was cancelled while it waited', async () => {
    const runId = await cancelledWhileItWaited();
    expect(only(await next())).toMatchObject({ event: 'run.ended', run: { id: runId, state: 'CANCELLED' } });
  });

  test('of a publication that was refused, with its reason', async () => {
    const runId = await quarantined();
    await next();
    const held = await bench.start(workKey(runId, 'publication'));
    await bench.record(held, { kind: 'refused', code: 'publication_refused', reason: 'prereleases only' });
    const { event, message } = only(await next());
    expect([event, message]).toEqual([
      'publication.refused',
      `The result of the run ${runId} of demo is not published: prereleases only`,
    ]);
  });

  test('of a package that is late, once', async () => {
    const runId = await seedRun(bench.database);
    await bench.database.query(
      `update runs set state = 'WAITING', last_error = 'npm has no version 1.0.0', package_since = now() - interval '9 minutes'
       where id = $1`,
      [runId],
    );
    expect(await notePackageLate(bench.database, { runId, afterSeconds: 600 })).toBe(false);
    expect(await next()).toEqual([]);
    await bench.database.query(`update runs set package_since = now() - interval '11 minutes'`);
    const noted = [1, 2].map(() => notePackageLate(bench.database, { runId, afterSeconds: 600 }));
    expect(await noted[0]).toBe(true);
    await noted[1];
    expect(await notePackageLate(bench.database, { runId, afterSeconds: 600 })).toBe(false);
    expect(only(await next())).toMatchObject({
      event: 'package.late',
      message: expect.stringContaining('npm has no version 1.0.0') as string,
    });
  });

  test('of a run that stands still', async () => {
    const runId = await seedRun(bench.database);
    await bench.database.query(`insert into events (run_id, type) values ($1, 'run.stalled')`, [runId]);
    expect(told(await next())).toEqual(['run.stalled']);
  });

  test('only in the transaction that the event happened in', async () => {
    const runId = await seedRun(bench.database);
    const lost = bench.database.transaction(async (sql) => {
      await sql.query(`insert into events (run_id, type) values ($1, 'run.stalled')`, [runId]);
      throw new Error('killed before the commit');
    });
    await expect(lost).rejects.toThrow('killed');
    expect(await next()).toEqual([]);
  });

  test('to each target that wants it, by an id of its own, and to no other', async () => {
    await quarantined();
    const targets = [target('a', ['run.ended']), target('b', ['run.ended', 'run.quarantined']), target('c', [])];
    const due = await next({ targets });
    expect(due.map((one) => `${one.target} ${one.notification.event}`).sort()).toEqual([
      'a run.ended',
      'b run.ended',
      'b run.quarantined',
    ]);
    expect(new Set(due.map(({ notification }) => notification.id)).size).toBe(3);
  });

  test('once, to whoever of three publishers asks first', async () => {
    await cancelledWhileItWaited();
    const answers = await Promise.all([1, 2, 3].map(() => next()));
    expect(answers.flat()).toHaveLength(1);
  });

  test('to nobody where no publisher has a target: one that is added later hears nothing of it', async () => {
    await cancelledWhileItWaited();
    expect(await next({ targets: [] })).toEqual([]);
    expect(await next()).toEqual([]);
  });

  test('without keys and paths that were in an error', async () => {
    const runId = await seedRun(bench.database);
    await bench.database.query(
      `update runs set state = 'WAITING', last_error = $2, package_since = now() - interval '1 hour' where id = $1`,
      [runId, 'GET https://user:s3cr3t-pw@registry.example/x failed with npm_abcdefghijklmnopqrstuvwxyz0123456789'],
    );
    await notePackageLate(bench.database, { runId, afterSeconds: 1 });
    const text = JSON.stringify(only(await next()));
    expect(text).toContain('waits for its package');
    expect(text).not.toMatch(/s3cr3t-pw|npm_abcdef/);
  });
});

describe('a notification', () => {
  test('that was sent is not given out again', async () => {
    await cancelledWhileItWaited();
    const claimId = aClaimId();
    const { id } = only(await next({ claimId }));
    expect(await settle(id, claimId, { kind: 'sent' })).toEqual({ answer: 'recorded', state: 'SENT' });
    await later('2 hours');
    expect(await next()).toEqual([]);
  });

  test('whose publisher died before it said so is given out again after the lease, the same to the letter', async () => {
    await cancelledWhileItWaited();
    const dead = aClaimId();
    const first = only(await next({ claimId: dead }));
    expect(await next()).toEqual([]);
    await later('90 seconds');
    const [again] = await next();
    expect(again).toMatchObject({ tryNumber: 2 });
    expect(again?.notification).toEqual(first);
    // The dead one comes back: its word is too late.
    expect(await settle(first.id, dead, { kind: 'sent' })).toEqual({ answer: 'lost' });
  });

  test('that its target could not take waits longer each time', async () => {
    await cancelledWhileItWaited();
    const waits: number[] = [];
    for (let tryNumber = 1; tryNumber <= 4; tryNumber += 1) {
      const claimId = aClaimId();
      const { id } = only(await next({ claimId }));
      await settle(id, claimId, TIMEOUT);
      const [row] = await bench.database.query<{ seconds: number; last_error: string }>(
        'select round(extract(epoch from next_at - now()))::int as seconds, last_error from notifications',
      );
      expect(row?.last_error).toBe('answered 503');
      waits.push(row?.seconds ?? -1);
      await bench.database.query('update notifications set next_at = now()');
    }
    expect(waits).toEqual([10, 20, 40, 80]);
  });

  test('that its target will never take is FAILED at once', async () => {
    await cancelledWhileItWaited();
    const claimId = aClaimId();
    const { id } = only(await next({ claimId }));
    const outcome: NotificationOutcome = { kind: 'failed', reason: 'answered 410', final: true, retryAfterMs: null };
    expect(await settle(id, claimId, outcome)).toEqual({ answer: 'recorded', state: 'FAILED' });
    await later('2 hours');
    expect(await next()).toEqual([]);
  });

  test('is FAILED after a day, also where nobody has its target any more', async () => {
    const runId = await cancelledWhileItWaited();
    const claimId = aClaimId();
    const { id } = only(await next({ claimId }));
    await settle(id, claimId, TIMEOUT);
    await later('25 hours');
    expect(await next({ targets: [] })).toEqual([]);
    const run = await getRun(bench.database, runId);
    if (run === null) throw new Error('no run');
    expect((await runRecord(bench.database, run)).notifications).toMatchObject([
      {
        ...{ event: 'run.ended', target: 'ops', state: 'FAILED', tries: 1 },
        lastError: 'nobody took it within a day; at last: answered 503',
      },
    ]);
  });

  test('of which nobody asked for a day is not made any more', async () => {
    await cancelledWhileItWaited();
    await bench.database.query(`update notices set at = now() - interval '25 hours'`);
    expect(await next()).toEqual([]);
  });

  test('changes nothing about its run', async () => {
    const runId = await cancelledWhileItWaited();
    const before = await bench.run(runId);
    const claimId = aClaimId();
    await settle(only(await next({ claimId })).id, claimId, TIMEOUT);
    expect(await bench.run(runId)).toEqual(before);
  });
});
