import { randomUUID } from 'node:crypto';
import {
  InstanceState,
  Namespace,
  type RunId,
  RunState,
  TERMINAL_INSTANCE_STATES,
  TERMINAL_RUN_STATES,
} from '@assay/contracts';
import { aManifest, freshDatabase, seedRun, type TestDatabase } from '@assay/testing';
import { Database } from './index';

// What must hold whatever the code does: the database itself refuses it (design rule 3).

let server: TestDatabase;
let database: Database;
let runId: RunId;

beforeAll(async () => {
  server = await freshDatabase();
  database = await Database.open({ url: server.url, namespace: Namespace.parse('assay') });
  await database.migrate();
});
afterAll(async () => {
  await database.close();
  await server.drop();
});
beforeEach(async () => {
  await database.query('truncate runs cascade');
  runId = await seedRun(database, { manifest: aManifest({ instances: ['i-1', 'i-2'] }) });
});

const setInstance = (state: string) =>
  database.query("update instances set state = $1 where instance_id = 'i-1' returning state", [state]);
const setRun = (state: string) => database.query('update runs set state = $1 returning state', [state]);

interface AttemptGiven {
  readonly epoch?: number;
  readonly instanceId?: string;
  readonly state?: string;
}

async function attempt({ epoch = 1, instanceId = 'i-1', state = 'GRANTED' }: AttemptGiven = {}): Promise<string> {
  const id = randomUUID();
  await database.query(
    `insert into attempts (id, run_id, instance_id, sample, number, epoch, claim_id, worker, build_digest, state)
     values ($1, $2, $3, 0, 1, $4, gen_random_uuid(), 'w', 'b', $5)`,
    [id, runId, instanceId, epoch, state],
  );
  return id;
}

interface GradeGiven {
  readonly attemptId: string;
  readonly epoch: number;
  readonly verdict?: string | null;
  readonly graderVersion?: string;
}

async function grade({ attemptId, epoch, verdict = 'RESOLVED', graderVersion = 'g1' }: GradeGiven): Promise<string> {
  const id = randomUUID();
  await database.query(
    `insert into grades (id, attempt_id, run_id, instance_id, sample, number, epoch, claim_id, worker, build_digest, state,
       grader_version, verdict)
     values ($1, $2, $3, 'i-1', 0, $4, $4, gen_random_uuid(), 'w', 'b', 'COMPLETED', $5, $6)`,
    [id, attemptId, runId, epoch, graderVersion, verdict],
  );
  return id;
}

describe('a terminal state', () => {
  test.each(TERMINAL_INSTANCE_STATES)('of an instance (%s) takes no other state', async (state) => {
    await setInstance(state);
    for (const other of InstanceState.options.filter((one) => one !== state)) {
      await expect(setInstance(other)).rejects.toThrow(
        `terminal state ${state} of instances i-1 may not become ${other}`,
      );
    }
  });

  test.each(TERMINAL_RUN_STATES)('of a run (%s) takes no other state', async (state) => {
    await setRun(state);
    for (const other of RunState.options.filter((one) => one !== state)) {
      await expect(setRun(other)).rejects.toThrow(`terminal state ${state} of runs ${runId} may not become ${other}`);
    }
  });

  test('may be written again as it is, and its row may still learn other things', async () => {
    await setInstance('RESOLVED');
    await setRun('SUCCEEDED');
    expect(await setInstance('RESOLVED')).toEqual([{ state: 'RESOLVED' }]);
    await database.query(`update instances set suspicions = '["late"]', state = state`);
    expect(await database.query("update runs set publication_state = 'PUBLISHED' returning state")).toEqual([
      { state: 'SUCCEEDED' },
    ]);
  });

  test('holds back a whole transaction that would change one instance among many', async () => {
    await setInstance('UNRESOLVED');
    await expect(database.query("update instances set state = 'CANCELLED'")).rejects.toThrow(
      'may not become CANCELLED',
    );
    expect(await database.query('select state from instances order by instance_id')).toEqual([
      { state: 'UNRESOLVED' },
      { state: 'QUEUED' },
    ]);
  });

  test('does not hold for open states: they may go anywhere', async () => {
    for (const state of InstanceState.options.slice(0, 6)) await setInstance(state);
    expect(await setInstance('CANCELLED')).toEqual([{ state: 'CANCELLED' }]);
  });
});

describe('events', () => {
  beforeEach(() => database.query("insert into events (run_id, type) values ($1, 'run.submitted')", [runId]));

  test.each([
    ['changed', "update events set type = 'other'"],
    ['deleted', 'delete from events'],
  ])('cannot be %s', async (_verb, sql) => {
    await expect(database.query(sql)).rejects.toThrow('events is append-only');
    expect(await database.query('select type from events')).toEqual([{ type: 'run.submitted' }]);
  });

  test('have ids of the database alone', async () => {
    await expect(database.query("insert into events (id, run_id, type) values (1, $1, 'x')", [runId])).rejects.toThrow(
      'cannot insert a non-DEFAULT value',
    );
  });
});

describe('uniqueness', () => {
  const submit = (id: string, repository: string, key: string) =>
    database.query(
      `insert into runs (id, state, repository, idempotency_key, request, request_digest, suite)
       values ($1, 'WAITING', $2, $3, '{}', '', 's')`,
      [id, repository, key],
    );

  test('of an idempotency key holds within one repository', async () => {
    await submit('r1', 'a/b', 'key');
    await submit('r2', 'a/c', 'key');
    await submit('r3', '', 'key');
    await expect(submit('r4', 'a/b', 'key')).rejects.toThrow('runs_idempotency');
    await expect(submit('r5', '', 'key')).rejects.toThrow('runs_idempotency');
  });

  test('of a verdict holds within one attempt and grader version', async () => {
    const attemptId = await attempt();
    await grade({ attemptId, epoch: 1, verdict: null });
    await grade({ attemptId, epoch: 2 });
    await grade({ attemptId, epoch: 3, verdict: null });
    await expect(grade({ attemptId, epoch: 4, verdict: 'UNRESOLVED' })).rejects.toThrow('grades_verdict');
    await grade({ attemptId, epoch: 4, graderVersion: 'g2' });
    await grade({ attemptId: await attempt({ epoch: 2 }), epoch: 5 });
  });

  test('of a verdict holds against a late one, too', async () => {
    const attemptId = await attempt();
    const open = await grade({ attemptId, epoch: 1, verdict: null });
    await grade({ attemptId, epoch: 2 });
    await expect(database.query("update grades set verdict = 'RESOLVED' where id = $1", [open])).rejects.toThrow(
      'grades_verdict',
    );
  });

  test('of an epoch holds within one instance: two grants of the same cannot both be', async () => {
    await attempt({ epoch: 1 });
    await attempt({ epoch: 1, instanceId: 'i-2' });
    await expect(attempt({ epoch: 1 })).rejects.toThrow('attempts_epoch');
  });

  test('of an instance holds within its run: it cannot be listed twice', async () => {
    await expect(
      database.query(
        "insert into instances (run_id, instance_id, sample, position, state) values ($1, 'i-1', 0, 9, 'QUEUED')",
        [runId],
      ),
    ).rejects.toThrow('instances_pkey');
  });

  test('of work holds by its key, and of an artifact by its name within its attempt or grade', async () => {
    const open = () =>
      database.query("insert into work_items (kind, run_id, instance_id) values ('trial', $1, 'i-1')", [runId]);
    await open();
    await expect(open()).rejects.toThrow('work_items_pkey');

    const attemptId = await attempt();
    const gradeId = await grade({ attemptId, epoch: 1 });
    const keep = (attemptOf: string | null, gradeOf: string | null) =>
      database.query(
        `insert into artifacts (run_id, attempt_id, grade_id, name, digest, size, media_type)
         values ($1, $2, $3, 'log', 'd', 1, 't')`,
        [runId, attemptOf, gradeOf],
      );
    await keep(attemptId, null);
    await keep(null, gradeId);
    await keep(null, null);
    await expect(keep(attemptId, null)).rejects.toThrow('artifacts_attempt');
    await expect(keep(null, gradeId)).rejects.toThrow('artifacts_grade');
  });
});

describe('names that nobody knows are refused', () => {
  test('for states of runs, publications and instances', async () => {
    await expect(setRun('DONE')).rejects.toThrow('runs_state_check');
    await expect(database.query("update runs set publication_state = 'SENT'")).rejects.toThrow(
      'runs_publication_state_check',
    );
    await expect(setInstance('resolved')).rejects.toThrow('instances_state_check');
  });

  test('for states of tries, verdicts, limits and kinds of work', async () => {
    await expect(attempt({ state: 'RUNNING' })).rejects.toThrow('attempts_state_check');
    const attemptId = await attempt();
    await expect(grade({ attemptId, epoch: 1, verdict: 'MAYBE' })).rejects.toThrow('grades_verdict_check');
    await expect(database.query("update instances set reached_limit = 'patience'")).rejects.toThrow(
      'instances_reached_limit_check',
    );
    await expect(
      database.query("insert into work_items (kind, run_id, instance_id) values ('nap', $1, 'i-1')", [runId]),
    ).rejects.toThrow('work_items_kind_check');
  });
});

describe('nothing stands alone', () => {
  test('an attempt needs its instance, a grade its attempt, a line of the outbox its run', async () => {
    await expect(attempt({ instanceId: 'i-9' })).rejects.toThrow('attempts_run_id_instance_id_sample_fkey');
    await expect(grade({ attemptId: randomUUID(), epoch: 1 })).rejects.toThrow('grades_attempt_id_fkey');
    await expect(
      database.query(
        "insert into outbox (topic, subject, message_id, payload, run_id) values ('t', 's', 'm', '{}', 'nobody')",
      ),
    ).rejects.toThrow('outbox_run_id_fkey');
  });

  test('a run with instances cannot be deleted', async () => {
    await expect(database.query('delete from runs')).rejects.toThrow('instances_run_id_fkey');
  });
});
