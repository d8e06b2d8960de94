import { TrialOutcome } from '@assay/contracts';
import { describeNeeding, missingTestImage, testImage } from '@assay/testing';
import { MENDABLE, TrialBench, type TrialSeed } from '../harness/trial-bench';

/** The mending is in a commit that was lost, and the solution finds it by the reflog or not at all. */
const LOST = {
  ...MENDABLE,
  'environment/Dockerfile': `ARG BASE_IMAGE=node:22-bookworm
FROM \${BASE_IMAGE}
WORKDIR /app
COPY a.txt ./
ENV GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
RUN git init -q && git add . && git commit -qm base && echo mended > a.txt && git commit -qam lost && git reset -q --hard HEAD~1
`,
  'environment/a.txt': 'wrong\n',
  'solution/solve.sh': '#!/bin/bash\nset -e\ncd /app\ngit show HEAD@{1}:a.txt > /tmp/found\ncp /tmp/found a.txt\n',
};

describeNeeding(missingTestImage(), 'a commit that HEAD does not reach', () => {
  let bench: TrialBench;
  beforeAll(async () => {
    bench = await TrialBench.open();
  });
  afterAll(() => bench.close());

  async function run(history: TrialSeed['history'] & string): Promise<TrialOutcome> {
    const work = await bench.work(LOST, { sandbox: 'docker', history });
    const { outcome } = await bench.handler(bench.providers(['docker'], testImage())).handle(work);
    return TrialOutcome.parse(outcome);
  }

  test('is not there where the run was frozen with its history cut', async () => {
    expect(await run('cut')).toMatchObject({ kind: 'failed', failure: { blame: 'agent' } });
  });

  test('is there where the suite keeps history', async () => {
    expect(await run('kept')).toMatchObject({ kind: 'completed', patch: { name: 'patch' } });
  });
});
