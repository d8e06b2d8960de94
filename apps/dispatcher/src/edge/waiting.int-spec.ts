import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import type { RunView } from '@assay/contracts';
import { getRun, type RunRow } from '@assay/persistence';
import { eventually, freePort, PROJECT_ROOT } from '@assay/testing';
import { clearedAway, reached, runOf, surroundings, type Surroundings, TOKEN } from '../harness/test-dispatcher';
import {
  aRequest,
  COMMIT,
  deleteRelease,
  handIn,
  moveTag,
  PACKAGE,
  published,
  receiptFor,
  releaseBench,
  type ReleaseBench,
  releaseClaims,
  startBenched,
  stopBench,
} from './harness/release-bench';

const OTHER = 'd'.repeat(40);
let around: Surroundings;
let bench: ReleaseBench;

beforeEach(async () => {
  around = await surroundings();
  bench = await releaseBench(around);
});
afterEach(async () => {
  await stopBench(bench);
  await clearedAway(around);
});

async function row(runId: string): Promise<RunRow> {
  const run = await getRun(around.database, runId as never);
  if (run === null) throw new Error(`there is no run ${runId}`);
  return run;
}

/** Waits until the run has been put off so often, for its package. */
async function waitedFor(runId: string, looks: number): Promise<RunRow> {
  await eventually(async () => (await row(runId)).pollTries >= looks, { timeoutMs: 30_000, what: `${looks} looks` });
  return row(runId);
}

const failureOf = async (service: { readonly url: string }, runId: string): Promise<RunView['failure']> =>
  (await reached(service, runId, 'FAILED')).failure;

const loggedCodes = (): unknown[] => around.logs.map((line) => (JSON.parse(line) as { code?: unknown }).code);

describe('a run waits for its package', () => {
  beforeEach(() => published(bench, 'v1.0.0'));

  test('that comes some looks later; until then the registry’s last answer is shown', async () => {
    const service = await startBenched(bench);
    const { runId } = await receiptFor(service, aRequest('v1.0.0'));
    await waitedFor(runId, 2);
    bench.npm.publish(PACKAGE, '0.9.0');
    bench.npm.broken = 500;
    await eventually(async () => (await row(runId)).lastError?.includes('500') === true, { what: 'the new answer' });
    bench.npm.broken = null;
    await waitedFor(runId, (await row(runId)).pollTries + 1);
    expect(await runOf(service, runId)).toMatchObject({
      state: 'WAITING',
      lastError: expect.stringContaining(`${PACKAGE}@1.0.0 is not in the registry`) as string,
      // The commit is known by now, and shown.
      evaluated: { ref: 'v1.0.0', commit: COMMIT, packageVersion: null },
    });
    bench.npm.publish(PACKAGE, '1.0.0');
    expect(await reached(service, runId, 'QUEUED')).toMatchObject({
      ...{ lastError: null, failure: null, evaluated: { ref: 'v1.0.0', commit: COMMIT, packageVersion: '1.0.0' } },
    });
  }, 60_000);

  test('that never comes, and then fails with the registry’s last answer', async () => {
    const service = await startBenched(bench, { ASSAY_PACKAGE_WAIT_MINUTES: '0.05' });
    const { runId } = await receiptFor(service, aRequest('v1.0.0'));
    const failure = await failureOf(service, runId);
    expect(failure?.code).toBe('package_late');
    expect(failure?.message).toMatch(
      /^the package did not come within 0.1 minutes; the registry's last answer: @acme\/agent@1\.0\.0 is not in/,
    );
    expect((await row(runId)).pollTries).toBeGreaterThanOrEqual(1);
  }, 60_000);

  test('over a restart, with what is left of its time', async () => {
    const first = await startBenched(bench);
    const { runId } = await receiptFor(first, aRequest('v1.0.0'));
    await waitedFor(runId, 1);
    await first.stop();
    await around.database.query(`update runs set package_since = now() - interval '89 minutes'`);
    const second = await startBenched(bench);
    await waitedFor(runId, (await row(runId)).pollTries + 1);
    expect((await row(runId)).packageWaitSeconds).toBeGreaterThan(5_300);
    await around.database.query(`update runs set package_since = now() - interval '91 minutes'`);
    expect(await failureOf(second, runId)).toMatchObject({ code: 'package_late' });
  }, 60_000);

  test('but not where infrastructure alone is tried', async () => {
    await published(bench, 'bare-v1', { prerelease: true, body: 'Evaluates: v1.0.0' });
    const service = await startBenched(bench);
    const { runId } = await receiptFor(service, aRequest('bare-v1', { event: 'release' }), {
      token: bench.issuer.token(releaseClaims('bare-v1')),
    });
    await eventually(async () => (await row(runId)).state !== 'WAITING' || (await row(runId)).lastError !== null, {
      what: 'the run to be looked at',
    });
    expect(bench.npm.asked).toEqual([]);
  }, 60_000);
});

describe('a run whose tag', () => {
  beforeEach(async () => {
    await published(bench, 'v1.0.0');
    bench.npm.publish(PACKAGE, '1.0.0');
  });
  const released = () => ({ token: bench.issuer.token(releaseClaims('v1.0.0')) });
  const aRelease = aRequest('v1.0.0', { event: 'release' });

  test('cannot be resolved while GitHub fails goes on when GitHub does', async () => {
    bench.github.fault({ kind: 'answer', path: '/git/ref/', status: 502, body: { message: 'no' }, times: 2 });
    const service = await startBenched(bench);
    const { runId } = await receiptFor(service, aRelease, released());
    await eventually(async () => (await row(runId)).lastError?.includes('502') === true, { what: 'the reason' });
    expect(await reached(service, runId, 'QUEUED')).toMatchObject({ lastError: null });
    expect(loggedCodes()).toContain('ref_not_there');
  });

  test('moved before it was looked at fails, naming both commits', async () => {
    await moveTag(bench, 'v1.0.0', OTHER);
    const service = await startBenched(bench);
    const { runId } = await receiptFor(service, aRelease, released());
    expect(await failureOf(service, runId)).toEqual({
      code: 'tag_moved',
      message: `the tag v1.0.0 has moved: the run was handed in for commit ${COMMIT}, and it is ${OTHER} now`,
    });
  });

  test('moved while it waited for its package fails, too', async () => {
    bench.npm.broken = 404;
    const service = await startBenched(bench);
    const { runId } = await receiptFor(service, aRelease, released());
    await waitedFor(runId, 1);
    await moveTag(bench, 'v1.0.0', OTHER);
    bench.npm.broken = null;
    expect((await failureOf(service, runId))?.code).toBe('tag_moved');
  }, 60_000);

  test('moved while it waited is measured at its new commit where nobody promised the old one', async () => {
    bench.npm.broken = 404;
    const service = await startBenched(bench);
    const { runId } = await receiptFor(service, aRequest('v1.0.0'));
    await waitedFor(runId, 1);
    await moveTag(bench, 'v1.0.0', OTHER);
    bench.npm.broken = null;
    expect((await reached(service, runId, 'QUEUED')).evaluated).toMatchObject({ commit: OTHER });
  }, 60_000);

  test('stands for another commit than the caller holds it for fails', async () => {
    const service = await startBenched(bench);
    const { runId } = await receiptFor(service, aRequest('v1.0.0', { commit: OTHER }));
    expect(await failureOf(service, runId)).toMatchObject({ code: 'tag_moved' });
  });

  test('is evaluated for a prerelease, and is not there, fails after some looks', async () => {
    await published(bench, 'smoke-1', { prerelease: true, body: 'Evaluates: v8.0.0' });
    const service = await startBenched(bench);
    const { runId } = await receiptFor(service, aRequest('smoke-1'));
    expect(await failureOf(service, runId)).toEqual({
      code: 'ref_wrong',
      message: 'tag v8.0.0 of acme/agent is not there',
    });
  }, 60_000);
});

test('a run whose release is deleted fails, and says so', async () => {
  const id = await published(bench, 'v1.0.0');
  const service = await startBenched(bench);
  const { runId } = await receiptFor(service, aRequest('v1.0.0'));
  await waitedFor(runId, 1);
  await deleteRelease(bench, id);
  expect(await failureOf(service, runId)).toEqual({
    code: 'release_wrong',
    message: `release v1.0.0 (${id}) of acme/agent is not there any more`,
  });
  // It is believed only when GitHub has said so more than once.
  expect(loggedCodes()).toContain('release_not_there');
}, 60_000);

test('a dispatcher that is killed between storing and answering has taken the release: handed in again, it is that run', async () => {
  await published(bench, 'v1.0.0');
  bench.npm.publish(PACKAGE, '1.0.0');
  const killed = await dispatcherProcess();
  const key = randomUUID();
  // A receipt counts instances: whoever waits for that table has stored the run, and not answered.
  await around.database.transaction(async (sql) => {
    await sql.query('lock table instances in access exclusive mode');
    const answer = handIn(killed, aRequest('v1.0.0'), { key }).catch(() => 'none');
    await eventually(async () => (await around.database.query('select id from runs')).length === 1, {
      what: 'the run to be stored',
    });
    process.kill(killed.pid, 'SIGKILL');
    expect(await answer).toBe('none');
    await killed.ended;
  });
  const service = await startBenched(bench);
  const receipt = await receiptFor(service, aRequest('v1.0.0'), { key });
  expect(receipt).toMatchObject({ deduplicated: true });
  await reached(service, receipt.runId, 'QUEUED');
  expect(await around.database.query('select id from runs')).toEqual([{ id: receipt.runId }]);
}, 120_000);

/** A dispatcher as a process of its own. */
async function dispatcherProcess(): Promise<{ url: string; pid: number; ended: Promise<unknown> }> {
  const port = await freePort();
  const hook = join(PROJECT_ROOT, 'libs/service-kit/src/harness/typescript-hook.cjs');
  const child = spawn(process.execPath, ['--require', hook, join(PROJECT_ROOT, 'apps/dispatcher/src/main.ts')], {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      DATABASE_URL: around.server.url,
      NATS_URL: around.nats.url,
      ASSAY_HTTP_PORT: String(port),
      // Its lease of a run that it was looking at when it was killed ends soon.
      ASSAY_TIME_SCALE: '0.02',
      ASSAY_ARTIFACTS_DIR: join(around.dir, 'artifacts'),
      ASSAY_SUITES_DIR: join(PROJECT_ROOT, 'suites'),
      ASSAY_API_TOKEN_FILE: join(around.dir, 'token'),
      ASSAY_DEFAULT_SANDBOX: 'process',
      ASSAY_BUILD_DIGEST: 'b'.repeat(64),
      ...bench.env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
  const url = `http://127.0.0.1:${port}`;
  const serves = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`the dispatcher ended: ${stderr}`);
    const answer = await fetch(`${url}/v1/runs`, { headers: { authorization: `Bearer ${TOKEN}` } }).catch(() => null);
    return answer?.status === 200;
  };
  await eventually(serves, { timeoutMs: 60_000, what: 'the dispatcher to serve' });
  return { url, pid: child.pid ?? 0, ended: once(child, 'close') };
}
