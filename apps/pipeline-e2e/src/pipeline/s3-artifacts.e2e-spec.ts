import { PublicResult } from '@assay/contracts';
import { describeNeeding, eventually, missingS3Server, TestS3 } from '@assay/testing';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assayIn } from '../harness/command-line';
import { scratchFolder, TestDeployment } from '../harness/deployment';
import { writeSuite } from '../harness/suite-builder';

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** Text of every file under a folder that was written by a service. */
function logsUnder(dir: string): string {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

describeNeeding(missingS3Server(), 'with the artifacts in a real server of S3', () => {
  let s3: TestS3;
  let scratch: Awaited<ReturnType<typeof scratchFolder>>;
  beforeAll(async () => {
    s3 = await TestS3.start();
    scratch = await scratchFolder();
  });
  afterAll(async () => {
    await s3.stop();
    await scratch.remove();
  });

  test('the demo ends as it does with a folder, and everything lies in the bucket', async () => {
    const [state, file] = [join(scratch.dir, 'state'), join(scratch.dir, 'result.json')];
    const run = ['up', '--once', '--sandbox', 'process', '--port', '0', '--state-dir', state, '--json', file];
    const { status, stdout, stderr } = assayIn(await s3.settings('demo'), ...run);
    expect([status, stderr]).toEqual([0, expect.anything()]);
    expect(stdout).toContain('5 / 8, not a benchmark score');
    expect(PublicResult.parse(JSON.parse(readFileSync(file, 'utf8')))).toMatchObject({
      counts: { total: 8, resolved: 5, unresolved: 1, executionError: 2, infraFailed: 0, cancelled: 0 },
    });
    const objects = await s3.objects();
    expect(objects.length).toBeGreaterThan(20);
    for (const { key, content } of objects) {
      expect(key).toMatch(/^demo\/[a-z0-9_]+\/([0-9a-f]{2})\/\1[0-9a-f]{62}$/);
      expect(key.split('/').at(-1)).toBe(sha256(content));
    }
    expect(readdirSync(join(state, 'artifacts'))).toEqual([]);
    expect(logsUnder(join(state, 'logs'))).not.toContain(s3.secretAccessKey);
  }, 180_000);

  test('a store that is away in the middle of a run costs time, never an instance', async () => {
    const suitesDir = join(scratch.dir, 'suites');
    const tasks = ['one', 'two', 'three', 'four'].map((id) => ({ id, solveSeconds: 1 }));
    await writeSuite(suitesDir, { name: 'slow', agent: 'oracle', tasks });
    const env = { ...(await s3.settings('away')), ASSAY_ARTIFACTS_DIR: '' };
    const deployment = await TestDeployment.start({ suitesDir, env });
    try {
      const { runId } = await deployment.submit({ suite: 'slow' });
      await eventually(async () => (await statesOf(deployment, runId)).includes('RUNNING_AGENT'), {
        what: 'a trial to run',
      });
      await s3.kill();
      await eventually(async () => (await artifactsOf(deployment, 'executor-1')).startsWith('down: '), {
        what: 'the executor to miss its store',
      });
      expect(await artifactsOf(deployment, 'coordinator')).toMatch(/^down: the artifact store cannot be used/);
      await s3.restart();
      expect(await deployment.finished(runId)).toMatchObject({ state: 'SUCCEEDED', counts: { total: 4, resolved: 4 } });
      expect(await artifactsOf(deployment, 'executor-1')).toBe('ok');
    } finally {
      await deployment.stop();
    }
  }, 240_000);
});

async function statesOf(deployment: TestDeployment, runId: string): Promise<string[]> {
  return (await deployment.instances(runId)).map(({ state }) => state);
}

/** What a service's readiness says of the artifact store. */
async function artifactsOf(deployment: TestDeployment, service: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${deployment.service(service).port}/readyz`);
  const { probes } = (await answer.json()) as { probes: Record<string, string> };
  return probes['artifacts'] ?? '';
}
