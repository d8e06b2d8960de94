import { type Manifest, RunId, RunOrigin, SubmitRequest, type WorkKey } from '@assay/contracts';
import {
  aFailure,
  aManifest,
  anArtifact,
  aResult,
  completedTrial,
  digestOf,
  failedTrial,
  graded,
  verifiedPublication,
  workKey,
  writtenPublication,
} from '@assay/testing';
import { type Granted, WorkBench } from '../harness/work-bench';
import {
  cancelRun,
  enqueueRun,
  failWaiting,
  freezeRun,
  getRun,
  insertSubmission,
  recordResult,
  type RunRow,
  settleChain,
  settledBeforeChains,
} from '../index';

let bench: WorkBench;
beforeAll(async () => {
  bench = await WorkBench.open();
});
afterAll(() => bench.close());
beforeEach(() => bench.reset());

const RELEASE = { repository: 'example/agent', id: 7, tag: 'v1.0.0' };
const CHAIN = [
  { suite: 'terminal_bench_2', limit: null, instanceId: null },
  { suite: 'extra', limit: 1, instanceId: 'i-1' },
];
let serial = 0;

interface Handed {
  readonly key?: string;
  readonly publication?: 'off' | 'prerelease';
}

/** A release as it was handed in with a chain of two suites behind `demo`. */
async function handedIn({ key = `key-${(serial += 1)}`, publication = 'prerelease' }: Handed = {}): Promise<RunId> {
  const origin = RunOrigin.parse({
    schemaVersion: 'assay.origin/1',
    request: {
      ...{ schemaVersion: 'assay.release-request/1', event: 'release' },
      ...{ repository: 'example/agent', releaseTag: 'v1.0.0' },
    },
    rule: 'stable',
    plan: {
      ...{ suite: 'demo', limit: 5, instanceId: null, chain: CHAIN },
      ...{ evaluatedRef: 'v1.0.0', packageVersion: '1.0.0', publication },
    },
    release: { id: 7, tag: 'v1.0.0', prerelease: true, draft: false, bodyDigest: digestOf('notes') },
    principal: { kind: 'deployment' },
    package: { registry: 'npm', name: 'agent' },
    expectedInstances: 5,
    chainInstances: [89, 1],
  });
  const request = SubmitRequest.parse({
    ...{ suite: 'demo', evaluated: { ref: 'v1.0.0' }, model: 'some-model', trigger: 'release', release: RELEASE },
    ...{ limit: 5, maxAttempts: 2, githubRunUrl: 'https://github.com/example/agent/actions/runs/1' },
  });
  const runId = RunId.parse(`run-${(serial += 1)}`);
  const rest = { repository: 'example/agent', idempotencyKey: key, traceparent: null };
  await insertSubmission(bench.database, { runId, request, origin, ...rest });
  return runId;
}

async function freeze(runId: RunId, suite: Partial<Manifest['suite']> = {}): Promise<void> {
  const manifest = aManifest({ suite: { name: (await row(runId)).suite, ...suite } });
  await bench.database.transaction(async (sql) => {
    const frozen = { runId, manifest, manifestDigest: digestOf(JSON.stringify(manifest)), traceparentOf: () => null };
    await freezeRun(sql, { ...frozen, names: bench.protocol.names });
    await enqueueRun(sql, runId, bench.protocol);
  });
}

/** The run measured to its end; its publication is due where it has one. */
async function measured(runId: RunId, suite: Partial<Manifest['suite']> = {}): Promise<WorkKey> {
  await freeze(runId, suite);
  await bench.record(await bench.start(workKey(runId)), completedTrial());
  await bench.record(await bench.start(workKey(runId, 'grade')), graded());
  return workKey(runId, 'publication');
}

async function written(key: WorkKey): Promise<void> {
  await bench.makeDue(key);
  await bench.record(await bench.start(key), writtenPublication());
}

async function published(key: WorkKey): Promise<void> {
  await written(key);
  await bench.makeDue(key);
  await bench.record(await bench.start(key), verifiedPublication());
}

async function row(runId: RunId): Promise<RunRow> {
  const run = await getRun(bench.database, runId);
  if (run === null) throw new Error(`no run ${runId}`);
  return run;
}

const states = async (runId: RunId): Promise<string[]> => (await row(runId)).chain.map(({ state }) => state);
const runs = async (): Promise<string[]> =>
  (await bench.database.query<{ suite: string }>('select suite from runs order by created_at, id')).map(
    ({ suite }) => suite,
  );

async function started(runId: RunId, position: number): Promise<RunRow> {
  const id = (await row(runId)).chain[position]?.runId ?? null;
  if (id === null) throw new Error(`link ${position} was not started`);
  return row(id);
}

describe('a release with a chain', () => {
  test('shows it from the start, and the links wait', async () => {
    const { chain, chainOf } = await row(await handedIn());
    const waits = { state: 'PENDING', reason: null, runId: null, at: null };
    expect(chain).toEqual(CHAIN.map((link) => ({ ...link, ...waits })));
    expect(chainOf).toBeNull();
  });

  test('starts nothing when the run ends, nor when its block is written: only what was read again counts', async () => {
    const runId = await handedIn();
    const key = await measured(runId);
    expect(await states(runId)).toEqual(['PENDING', 'PENDING']);
    await written(key);
    expect(await states(runId)).toEqual(['PENDING', 'PENDING']);
    expect(await runs()).toEqual(['demo']);
  });

  test('waits as long as publishing fails', async () => {
    const runId = await handedIn();
    const key = await measured(runId);
    for (let number = 1; number <= 3; number += 1) {
      await bench.makeDue(key);
      const failure = aFailure('infra', 'github_unreachable');
      await bench.record(await bench.start(key), { kind: 'failed', failure });
    }
    expect(await settledBeforeChains(bench.database)).toEqual([]);
    expect(await states(runId)).toEqual(['PENDING', 'PENDING']);
    await published(key);
    expect(await states(runId)).toEqual(['STARTED', 'PENDING']);
  });

  test('starts the next suite as a waiting submission of the same release, commit, model and caller', async () => {
    const runId = await handedIn({ key: 'dsw-release-v1-17' });
    await published(await measured(runId));
    const child = await started(runId, 0);
    expect(child).toMatchObject({
      state: 'WAITING',
      suite: 'terminal_bench_2',
      repository: 'example/agent',
      idempotencyKey: 'dsw-release-v1-17-terminal-bench-2.0',
      chain: [],
      chainOf: runId,
      request: {
        suite: 'terminal_bench_2',
        evaluated: { ref: 'v1.0.0', commit: 'a'.repeat(40), packageVersion: '1.0.0' },
        model: 'some-model',
        trigger: 'release',
        release: RELEASE,
        maxAttempts: 2,
        githubRunUrl: 'https://github.com/example/agent/actions/runs/1',
      },
      origin: {
        rule: 'stable',
        plan: { suite: 'terminal_bench_2', limit: null, instanceId: null, chain: [], publication: 'prerelease' },
        expectedInstances: 89,
        chainInstances: [],
      },
    });
    expect(child.request).not.toHaveProperty('limit');
    expect(await bench.events(runId)).toContain('chain.started');
  });

  test('starts the third when the second was published, with its own limit and instance', async () => {
    const runId = await handedIn();
    await published(await measured(runId));
    const second = await started(runId, 0);
    const key = await measured(second.id);
    await written(key);
    expect(await states(runId)).toEqual(['STARTED', 'PENDING']);
    await bench.makeDue(key);
    await bench.record(await bench.start(key), verifiedPublication());
    expect(await states(runId)).toEqual(['STARTED', 'STARTED']);
    const third = await started(runId, 1);
    expect(third).toMatchObject({ suite: 'extra', chainOf: runId, request: { limit: 1, instanceId: 'i-1' } });
    expect(third.origin?.expectedInstances).toBe(1);
    expect(await runs()).toEqual(['demo', 'terminal_bench_2', 'extra']);
  });

  test('goes on after a quarantine that was published', async () => {
    const runId = await handedIn();
    await freeze(runId, { errorThreshold: 1 });
    await bench.record(await bench.start(workKey(runId)), failedTrial(aFailure('agent', 'agent_crashed')));
    const key = workKey(runId, 'publication');
    expect((await row(runId)).state).toBe('QUARANTINED');
    await published(key);
    expect(await states(runId)).toEqual(['STARTED', 'PENDING']);
  });

  test('is one run however often the verification is delivered', async () => {
    const runId = await handedIn();
    const key = await measured(runId);
    await written(key);
    await bench.makeDue(key);
    const held: Granted = await bench.start(key);
    const message = aResult(held, verifiedPublication(), [anArtifact('result')]);
    const answers = await Promise.all(
      [1, 2, 3].map(() => bench.database.transaction((sql) => recordResult(sql, message, bench.protocol))),
    );
    expect(answers.map(({ reply }) => reply.answer).sort()).toEqual([
      'already_recorded',
      'already_recorded',
      'recorded',
    ]);
    expect(await runs()).toEqual(['demo', 'terminal_bench_2']);
  });

  test('is one run when the sweep looks at the same moment, three times', async () => {
    const runId = await handedIn({ publication: 'off' });
    await freeze(runId);
    await bench.database.query(`update chains set state = 'PENDING', child_run_id = null`);
    await bench.database.query(`update runs set state = 'SUCCEEDED', finished_at = now() where id = $1`, [runId]);
    expect(await settledBeforeChains(bench.database)).toEqual([runId]);
    const looks = await Promise.all([1, 2, 3].map(() => bench.database.transaction((sql) => settleChain(sql, runId))));
    expect(looks.filter((look) => look !== null)).toHaveLength(1);
    expect(await runs()).toEqual(['demo', 'terminal_bench_2']);
    expect(await settledBeforeChains(bench.database)).toEqual([]);
  });

  test('is not started at all when its transaction is lost, and is when it is done again', async () => {
    const runId = await handedIn();
    const key = await measured(runId);
    await written(key);
    await bench.makeDue(key);
    const message = aResult(await bench.start(key), verifiedPublication());
    const lost = bench.database.transaction(async (sql) => {
      await recordResult(sql, message, bench.protocol);
      throw new Error('killed before the commit');
    });
    await expect(lost).rejects.toThrow('killed');
    expect(await runs()).toEqual(['demo']);
    expect(await states(runId)).toEqual(['PENDING', 'PENDING']);
    await bench.database.transaction((sql) => recordResult(sql, message, bench.protocol));
    expect(await runs()).toEqual(['demo', 'terminal_bench_2']);
  });

  test('goes on when the run is over where the policy publishes nothing', async () => {
    const runId = await handedIn({ publication: 'off' });
    await measured(runId);
    expect((await row(runId)).publicationState).toBe('NONE');
    expect(await states(runId)).toEqual(['STARTED', 'PENDING']);
  });

  test('goes on after a dry run', async () => {
    const runId = await handedIn();
    const key = await measured(runId);
    const difference = anArtifact('difference');
    await bench.record(await bench.start(key), { kind: 'dry_run', reason: 'dry run', difference }, [difference]);
    expect(await states(runId)).toEqual(['STARTED', 'PENDING']);
  });
});

describe('a chain ends, with the reason at every link,', () => {
  const reasons = async (runId: RunId): Promise<(string | null)[]> =>
    (await row(runId)).chain.map(({ state, reason }) => (state === 'SKIPPED' ? reason : state));

  test('when the publication is refused', async () => {
    const runId = await handedIn();
    const key = await measured(runId);
    const reason = 'the release v1.0.0 of example/agent was deleted';
    await bench.record(await bench.start(key), { kind: 'refused', code: 'release_deleted', reason });
    const said = `the run ${runId} before it may not be published: ${reason}`;
    expect(await reasons(runId)).toEqual([said, said]);
    expect((await row(runId)).chain[0]?.at).toMatch(/Z$/);
  });

  test('when a newer run of the release takes its place', async () => {
    const older = await handedIn();
    await measured(older);
    const newer = await handedIn();
    await measured(newer);
    const said = `a newer run of the release took the place of the run ${older} before it`;
    expect(await reasons(older)).toEqual([said, said]);
    expect(await states(newer)).toEqual(['PENDING', 'PENDING']);
  });

  test('and waits again when that newer run wrote nothing in the end', async () => {
    const older = await handedIn();
    await measured(older);
    const newer = await measured(await handedIn());
    await bench.record(await bench.start(newer), { kind: 'refused', code: 'publication_refused', reason: 'no' });
    expect(await states(older)).toEqual(['PENDING', 'PENDING']);
    await published(workKey(older, 'publication'));
    expect(await states(older)).toEqual(['STARTED', 'PENDING']);
  });

  test.each(['while it waits', 'while it is measured'])('when the run is cancelled %s', async (when) => {
    const runId = await handedIn({ publication: 'off' });
    if (when === 'while it is measured') await freeze(runId);
    await bench.database.transaction((sql) => cancelRun(sql, runId, bench.protocol));
    const said = `the run ${runId} before it was cancelled`;
    expect(await reasons(runId)).toEqual([said, said]);
    expect(await runs()).toEqual(['demo']);
  });

  test('behind a link whose run is cancelled, and only there', async () => {
    const runId = await handedIn();
    await published(await measured(runId));
    const { id } = await started(runId, 0);
    await bench.database.transaction((sql) => cancelRun(sql, id, bench.protocol));
    expect(await reasons(runId)).toEqual(['STARTED', `the run ${id} before it was cancelled`]);
  });

  test('when its package never came: the next suite would wait for the same one', async () => {
    const runId = await handedIn({ publication: 'off' });
    const failure = { code: 'package_late', message: 'the package did not come within 90 minutes' };
    await bench.database.transaction((sql) =>
      failWaiting(sql, { runId, failure, suite: null, names: bench.protocol.names }),
    );
    // The dispatcher ended it: the coordinator's sweep looks after what follows.
    expect(await settledBeforeChains(bench.database)).toEqual([runId]);
    expect(await bench.database.transaction((sql) => settleChain(sql, runId))).toMatchObject({
      link: 'skipped',
      suite: 'terminal_bench_2',
      reason: expect.stringContaining(failure.message) as string,
    });
    expect(await settledBeforeChains(bench.database)).toEqual([]);
  });

  test('when somebody else’s run has the key already', async () => {
    const taken = RunId.parse('taken');
    const request = SubmitRequest.parse({
      ...{ suite: 'demo', evaluated: { ref: 'v1', commit: 'b'.repeat(40) }, model: 'none', trigger: 'manual' },
    });
    const theirs = { repository: 'example/agent', idempotencyKey: 'mine-terminal-bench-2.0', traceparent: null };
    await insertSubmission(bench.database, { runId: taken, request, origin: null, ...theirs });
    const runId = await handedIn({ key: 'mine' });
    await published(await measured(runId));
    const said = 'its idempotency key mine-terminal-bench-2.0 belongs to the run taken already';
    expect(await reasons(runId)).toEqual([said, said]);
  });
});

describe('the chain of a suite’s file', () => {
  const follows = [{ suite: 'demo', limit: 3 }];
  const submit = async (release: typeof RELEASE | undefined): Promise<RunId> => {
    const runId = RunId.parse(`run-${(serial += 1)}`);
    const request = SubmitRequest.parse({
      ...{ suite: 'demo', evaluated: { ref: 'v1', commit: 'b'.repeat(40) }, model: 'none', trigger: 'manual', release },
    });
    const rest = { repository: '', idempotencyKey: runId, origin: null, traceparent: null };
    await insertSubmission(bench.database, { runId, request, ...rest });
    return runId;
  };

  test('holds for a run that was described by its caller, if it has a release, and ends with what it starts', async () => {
    const runId = await submit(RELEASE);
    await published(await measured(runId, { chain: follows }));
    const child = await started(runId, 0);
    expect(child).toMatchObject({ idempotencyKey: `${runId}-demo`, origin: null, request: { limit: 3 } });
    await published(await measured(child.id, { chain: follows }));
    expect(await states(child.id)).toEqual([]);
    expect(await runs()).toEqual(['demo', 'demo']);
  });

  test('is nothing without a release', async () => {
    const runId = await submit(undefined);
    await measured(runId, { chain: follows });
    expect(await states(runId)).toEqual([]);
  });

  test('is nothing beside the plan of a policy', async () => {
    const runId = await handedIn();
    await freeze(runId, { chain: follows });
    expect((await row(runId)).chain.map(({ suite }) => suite)).toEqual(['terminal_bench_2', 'extra']);
  });
});
