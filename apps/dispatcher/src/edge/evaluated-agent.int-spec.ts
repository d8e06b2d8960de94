import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT_ROOT } from '@assay/testing';
import { clearedAway, reached, surroundings, type Surroundings } from '../harness/test-dispatcher';
import {
  aRequest,
  PACKAGE,
  published,
  receiptFor,
  releaseBench,
  type ReleaseBench,
  startBenched,
  stopBench,
} from './harness/release-bench';

let around: Surroundings;
let bench: ReleaseBench;

beforeEach(async () => {
  around = await surroundings();
  bench = await releaseBench(around);
  await writeFile(
    join(bench.env['ASSAY_SUITES_DIR'] ?? '', 'demo.yaml'),
    `schema: assay.suite/1
name: demo
title: The released agent
dataset: { name: d, revision: '1' }
source: { kind: harbor, path: ${join(PROJECT_ROOT, 'examples/tasks')} }
publish: none
errorThreshold: 1
sandbox: docker
agent: { name: qwen-code, version: evaluated }
`,
  );
  await published(bench, 'v1.0.0');
  bench.npm.publish(PACKAGE, '1.0.0');
});
afterEach(async () => {
  await stopBench(bench);
  await clearedAway(around);
});

test('a suite whose agent is the evaluated one is frozen with the version of the release and its integrity', async () => {
  bench.npm.publish('@qwen-code/qwen-code', '1.0.0');
  bench.npm.publish('@qwen-code/qwen-code', '1.0.1');
  const service = await startBenched(bench, { ASSAY_DEFAULT_SANDBOX: 'docker' });
  const { runId } = await receiptFor(service, aRequest('v1.0.0'));
  await reached(service, runId, 'QUEUED');
  const [run] = await around.database.query<{ agent: unknown }>("select manifest -> 'agent' as agent from runs");
  expect(run?.agent).toMatchObject({ name: 'qwen-code', version: '1.0.0', integrity: 'sha512-1.0.0' });
}, 60_000);

test('and waits for the package of that agent, too', async () => {
  const service = await startBenched(bench, {
    ASSAY_DEFAULT_SANDBOX: 'docker',
    ASSAY_PACKAGE_WAIT_MINUTES: '0',
  });
  const { runId } = await receiptFor(service, aRequest('v1.0.0'));
  const { failure } = await reached(service, runId, 'FAILED');
  expect(failure).toMatchObject({ code: 'package_late' });
  expect(failure?.message).toContain('@qwen-code/qwen-code@1.0.0 is not in the registry');
}, 60_000);
