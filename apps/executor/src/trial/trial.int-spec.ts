import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { TrialOutcome } from '@assay/contracts';
import type { WorkContext } from '@assay/messaging';
import { describeNeeding, eventually, missingTestImage, testImage } from '@assay/testing';
import { startModel } from '../harness/replaying-model';
import { MENDABLE, TrialBench, type TrialSeed } from '../harness/trial-bench';

const KEY = 'sk-canary-c41f';

function trialsIn(kind: 'process' | 'docker', baseImage: string | null): void {
  let bench: TrialBench;
  beforeEach(async () => {
    bench = await TrialBench.open();
  });
  afterEach(() => bench.close());

  async function run(seed: TrialSeed = {}, content = MENDABLE) {
    const work = await bench.work(content, { sandbox: kind, ...seed });
    const result = await bench.handler(bench.providers([kind], baseImage)).handle(work);
    return { ...result, outcome: TrialOutcome.parse(result.outcome) };
  }

  async function text(result: Awaited<ReturnType<typeof run>>, name: string): Promise<string> {
    const ref = result.artifacts.find((artifact) => artifact.name === name)!;
    return (await bench.artifacts.get(ref)).toString('utf8');
  }

  /** Names below the work folder that belong to a trial. */
  function leftovers(): string[] {
    return [join(bench.workDir, 'trials'), join(bench.workDir, `${bench.namespace}-sandboxes`)].flatMap((dir) =>
      existsSync(dir) ? readdirSync(dir) : [],
    );
  }

  test('the oracle s trial completes with patch, trajectory and log, tells its phases, and leaves nothing', async () => {
    const result = await run();
    expect(result.outcome).toMatchObject({
      kind: 'completed',
      limit: null,
      model: { usesModel: false },
      imageId: kind === 'process' ? 'process' : (expect.stringMatching(/^sha256:/) as string),
    });
    expect(result.artifacts.map(({ name }) => name).sort()).toEqual(['agent_log', 'patch', 'trajectory']);
    expect(await text(result, 'patch')).toContain('-wrong\n+right\n');
    expect(JSON.parse(await text(result, 'trajectory'))).toMatchObject({
      schema_version: 'ATIF-v1.7',
      agent: { name: 'oracle' },
      steps: [{ step_id: 1 }],
    });
    expect(bench.phases).toEqual(['PREPARING', 'RUNNING_AGENT', 'UPLOADING']);
    expect(leftovers()).toEqual([]);
  });

  test('nop s trial completes without a patch, and still has a trajectory', async () => {
    const result = await run({ agent: 'nop' });
    expect(result.outcome).toMatchObject({ kind: 'completed', patch: null });
    expect(result.artifacts.map(({ name }) => name).sort()).toEqual(['agent_log', 'trajectory']);
  });

  test('at its deadline the agent is killed and what it left is taken, marked with the limit', async () => {
    const solve = '#!/bin/bash\necho half > a.txt; trap "" TERM; sleep 60\n';
    const started = Date.now();
    const result = await run({ limits: { wallSeconds: 2 } }, { ...MENDABLE, 'solution/solve.sh': solve });
    expect(result.outcome).toMatchObject({ kind: 'completed', limit: 'time' });
    expect(await text(result, 'patch')).toContain('+half');
    expect(Date.now() - started).toBeLessThan(25_000);
  });

  // The process sandbox has no bound of processes: there it would take the host along.
  if (kind === 'docker')
    test('a storm of deaf processes ends at the deadline too, as the limit that the agent reached', async () => {
      const loop = `while :; do setsid sh -c 'trap "" TERM; while :; do :; done' & done`;
      const solve = `#!/bin/bash\necho half > a.txt; for n in 1 2 3; do (${loop}) & done; wait\n`;
      const limits = { wallSeconds: 4, pids: 512 };
      const result = await run({ limits }, { ...MENDABLE, 'solution/solve.sh': solve });
      expect(result.outcome).toMatchObject({ kind: 'completed', limit: 'time' });
      expect((result.outcome as { timings: { agentMs: number } }).timings.agentMs).toBeLessThan(14_000);
      expect(await text(result, 'patch')).toContain('+half');
      expect(leftovers()).toEqual([]);
    });

  test('an agent that crashes is a failed outcome with its blame, its log and its steps', async () => {
    const result = await run({}, { ...MENDABLE, 'solution/solve.sh': '#!/bin/bash\necho oops; exit 3\n' });
    expect(result.outcome).toMatchObject({ kind: 'failed', failure: { blame: 'agent', code: 'agent_crashed' } });
    expect(await text(result, 'agent_log')).toBe('oops\n');
    expect(result.artifacts.map(({ name }) => name)).not.toContain('patch');
    expect(leftovers()).toEqual([]);
  });

  test('an abort in the middle ends the trial at once and leaves nothing', async () => {
    const abort = new AbortController();
    const work = await bench.work(
      { ...MENDABLE, 'solution/solve.sh': '#!/bin/bash\nsleep 60\n' },
      {
        sandbox: kind,
        signal: abort.signal,
        onPhase: (phase) => {
          if (phase === 'RUNNING_AGENT')
            setTimeout(() => {
              abort.abort(new Error('the lease is lost'));
            }, 500);
        },
      },
    );
    const started = Date.now();
    const handling = bench.handler(bench.providers([kind], baseImage)).handle(work);
    await expect(handling).rejects.toThrow('the lease is lost');
    expect(Date.now() - started).toBeLessThan(15_000);
    expect(leftovers()).toEqual([]);
  });

  test('the tests of the task and its solution are nowhere in the sandbox of another agent', async () => {
    const model = await startModel([
      'grep -rl hidden-test-4711 "$APP_DIR" "$TESTS_DIR" "$SOLUTION_DIR" "$LOGS_DIR"; ls -A "$TESTS_DIR" "$SOLUTION_DIR"',
    ]);
    try {
      const work = await bench.work(MENDABLE, { sandbox: kind, agent: 'mini' });
      const handler = bench.handler(bench.providers([kind], baseImage), await bench.models(model.baseUrl, KEY));
      const result = await handler.handle(work);
      const log = await text({ ...result, outcome: TrialOutcome.parse(result.outcome) }, 'agent_log');
      expect(log).not.toMatch(/test\.sh|solve\.sh/);
    } finally {
      await model.stop();
    }
  });

  test('the key of the model is found nowhere: environment, arguments, files, logs, artifacts', async () => {
    const model = await startModel([
      'env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" "\\n" | grep -a ASSAY_ | sort -u',
      'cp -r /proc/self/environ env.txt; env > dump.txt; echo done',
    ]);
    try {
      const work = await bench.work(MENDABLE, { sandbox: kind, agent: 'mini' });
      const handler = bench.handler(bench.providers([kind], baseImage), await bench.models(model.baseUrl, KEY));
      const result = await handler.handle(work);
      expect(result.outcome).toMatchObject({ kind: 'completed', usage: { calls: 3, promptTokens: 15 } });
      // What its heartbeats would have told at the end is what its result says.
      expect(result.outcome).toMatchObject({ usage: bench.spending?.() });
      for (const ref of result.artifacts) {
        expect((await bench.artifacts.get(ref)).toString('latin1')).not.toContain(KEY);
      }
      expect(JSON.stringify(result)).not.toContain(KEY);
      expect(bench.log).not.toContain(KEY);
    } finally {
      await model.stop();
    }
  });
}

describe('a trial in the process sandbox', () => {
  trialsIn('process', null);
});
describeNeeding(missingTestImage(), 'a trial in the docker sandbox', () => {
  trialsIn('docker', testImage());
});

describe('what a trial is refused for', () => {
  let bench: TrialBench;
  beforeEach(async () => {
    bench = await TrialBench.open();
  });
  afterEach(() => bench.close());

  const handle = (work: WorkContext<'trial'>) => bench.handler(bench.providers(['process'])).handle(work);

  test('the process sandbox, where a score is published', async () => {
    const work = await bench.work(MENDABLE, { publishesScore: true });
    await expect(handle(work)).rejects.toMatchObject({ blame: 'task', code: 'sandbox_refused' });
  });

  test('a sandbox that this executor does not offer: our fault', async () => {
    const work = await bench.work(MENDABLE, { sandbox: 'docker' });
    await expect(handle(work)).rejects.toMatchObject({ blame: 'infra', code: 'sandbox_not_offered' });
  });

  test('an agent that there is not', async () => {
    const work = await bench.work(MENDABLE, { agent: 'unheard-of' });
    await expect(handle(work)).rejects.toMatchObject({ blame: 'task', code: 'agent_unknown' });
  });

  test('an agent with a package of which the manifest froze no integrity: our fault', async () => {
    const work = await bench.work(MENDABLE, { agent: 'qwen-code' });
    await expect(handle(work)).rejects.toMatchObject({ blame: 'infra', code: 'agent_not_frozen' });
  });

  test('a bundle that is not in the store: our fault', async () => {
    const work = await bench.work(MENDABLE);
    const bundle = { ...work.spec.instance.bundle, digest: 'f'.repeat(64) } as typeof work.spec.instance.bundle;
    const spec = { ...work.spec, instance: { ...work.spec.instance, bundle } };
    const failure = await handle({ ...work, spec }).catch((error: unknown) => error);
    expect(['infra', 'contract']).toContain((failure as { blame: string }).blame);
  });

  test('a Dockerfile that needs Docker: the fault of the task, with its line; nothing is left', async () => {
    const dockerfile = 'FROM x\nWORKDIR /app\nRUN npm ci\n';
    const work = await bench.work({ ...MENDABLE, 'environment/Dockerfile': dockerfile });
    await expect(handle(work)).rejects.toMatchObject({
      blame: 'task',
      message: expect.stringContaining('line 3') as string,
    });
    expect(readdirSync(join(bench.workDir, 'trials'))).toEqual([]);
  });

  test('a trial that was aborted while it was prepared leaves nothing', async () => {
    const work = await bench.work(MENDABLE, { signal: AbortSignal.abort(new Error('cancelled')) });
    await expect(handle(work)).rejects.toThrow('cancelled');
    await eventually(() => readdirSync(join(bench.workDir, 'trials')).length === 0);
  });
});
