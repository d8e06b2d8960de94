import type { Sandbox } from '@assay/sandbox';
import { AgentBench, inside } from '../harness/agent-bench';
import { agentNamed } from '../registry';
import type { AgentRun, AgentTask } from '../trial-agent.port';

const PATCH = ['diff --git a/a.txt b/a.txt', '--- a/a.txt', '+++ b/a.txt', '@@ -1 +1 @@', '-wrong', '+right', ''].join(
  '\n',
);

describe('the agents that ask no model', () => {
  let bench: AgentBench;
  let sandbox: Sandbox;
  let log = '';
  beforeAll(async () => {
    bench = await AgentBench.open();
  });
  afterAll(() => bench.close());
  beforeEach(async () => {
    log = '';
    sandbox = await bench.sandbox({ 'a.txt': 'wrong\n' });
  });
  afterEach(() => sandbox.destroy());

  function run(name: string, task: Partial<AgentTask>, overrides: Partial<AgentRun> = {}) {
    return agentNamed(name).run({
      sandbox,
      task: {
        instanceId: 'task-1',
        instruction: '',
        solutionDir: null,
        solutionEnv: {},
        solutionPatch: null,
        env: {},
        ...task,
      },
      limits: {
        wallSeconds: 60,
        turns: null,
        costUsd: null,
        calls: null,
        tokens: null,
        cpus: 1,
        memoryMb: 1,
        diskMb: 1,
        pids: 1,
      },
      options: {},
      model: 'none',
      endpoint: null,
      deadline: new Date(Date.now() + 60_000),
      signal: new AbortController().signal,
      log: (text) => {
        log += text;
      },
      ...overrides,
    });
  }

  const read = async () => (await sandbox.getFile(`${sandbox.workdir}/a.txt`, 100))?.toString();

  test('the oracle runs the solution in the working directory, with the variables of task and solution', async () => {
    const solutionDir = await bench.folder({
      'solve.sh': 'echo "$GREETING $NAME"; cp "$SOLUTION_DIR/fixed" a.txt',
      fixed: 'right\n',
    });
    const report = await run('oracle', { solutionDir, env: { GREETING: 'hello' }, solutionEnv: { NAME: 'you' } });
    expect(report).toMatchObject({ limit: null, crash: null, model: { usesModel: false } });
    expect(report.steps[0]?.observations).toEqual([{ callId: 'call-1', content: 'hello you\n' }]);
    expect([await read(), log]).toEqual(['right\n', 'hello you\n']);
  });

  test('the oracle applies the patch of a row to a repository, and to a folder that is none', async () => {
    expect((await run('oracle', { solutionPatch: PATCH })).crash).toBeNull();
    expect(await read()).toBe('right\n');
    await inside(sandbox, 'git init -q .; git checkout-index -a 2>/dev/null; echo wrong > a.txt');
    expect((await run('oracle', { solutionPatch: PATCH })).crash).toBeNull();
    expect(await read()).toBe('right\n');
  });

  test('a solution that fails or does not apply is a crash with the end of what it said', async () => {
    const solutionDir = await bench.folder({ 'solve.sh': 'echo broken; exit 3' });
    expect((await run('oracle', { solutionDir })).crash?.toFailure()).toMatchObject({
      blame: 'agent',
      code: 'agent_crashed',
      details: { exitCode: 3, tail: 'broken\n' },
    });
    const solutionPatch = PATCH.replace('-wrong', '-other');
    expect((await run('oracle', { solutionPatch })).crash).toMatchObject({ code: 'agent_crashed' });
  });

  test('a task without solution is the fault of the task', async () => {
    await expect(run('oracle', {})).rejects.toMatchObject({ blame: 'task', code: 'solution_missing' });
  });

  test('a solution that runs into the deadline has reached the limit of time', async () => {
    const solutionDir = await bench.folder({ 'solve.sh': 'echo half > a.txt; sleep 60' });
    const report = await run('oracle', { solutionDir }, { deadline: new Date(Date.now() + 700) });
    expect(report).toMatchObject({ limit: 'time', crash: null });
    expect(await read()).toBe('half\n');
  });

  test('nop changes nothing and asks nobody', async () => {
    const report = await run('nop', {});
    expect(report).toMatchObject({ limit: null, crash: null, steps: [], model: { usesModel: false } });
    expect(await read()).toBe('wrong\n');
  });
});
