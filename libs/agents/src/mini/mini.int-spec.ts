import type { Sandbox } from '@assay/sandbox';
import { eventually } from '@assay/testing';
import { AgentBench } from '../harness/agent-bench';
import {
  cuts,
  failsMidway,
  garbles,
  hangs,
  refuses,
  runs,
  says,
  ScriptedModel,
  stopsShort,
} from '../harness/scripted-model';
import type { AgentReport, AgentRun } from '../trial-agent.port';
import { miniAgent } from './mini.agent';

const KEY = 'sk-canary-9b1d';
const NO_LIMITS = {
  wallSeconds: 60,
  turns: null,
  costUsd: null,
  calls: null,
  tokens: null,
  cpus: 1,
  memoryMb: 256,
  diskMb: 256,
  pids: 64,
};

describe('the agent mini', () => {
  let bench: AgentBench;
  let model: ScriptedModel;
  let sandbox: Sandbox;
  let log = '';

  beforeAll(async () => {
    bench = await AgentBench.open();
    model = await ScriptedModel.start();
  });
  afterAll(async () => {
    await model.stop();
    await bench.close();
  });
  beforeEach(async () => {
    log = '';
    sandbox = await bench.sandbox({ 'a.txt': 'content of a\n' });
  });
  afterEach(() => sandbox.destroy());

  function run(overrides: Partial<AgentRun> = {}): Promise<AgentReport> {
    return miniAgent.run({
      sandbox,
      task: {
        instanceId: 'task-1',
        instruction: 'Mend a.txt.',
        solutionDir: null,
        solutionEnv: {},
        solutionPatch: null,
        env: { TASK_VARIABLE: 'set' },
      },
      limits: NO_LIMITS,
      options: {},
      model: 'model-1',
      endpoint: { baseUrl: model.baseUrl, apiKey: KEY },
      deadline: new Date(Date.now() + 60_000),
      signal: new AbortController().signal,
      log: (text) => {
        log += text;
      },
      ...overrides,
    });
  }

  test('runs one command a turn in the sandbox, shows its outcome to the model, and ends when that submits', async () => {
    model.play(
      runs('cat a.txt; echo "$TASK_VARIABLE"; exit 3'),
      runs('echo mended > a.txt'),
      runs('echo ASSAY_SUBMIT'),
    );
    const report = await run();
    expect(report).toMatchObject({
      limit: null,
      crash: null,
      model: { usesModel: true, completedExchanges: 3, lastFailedUpstream: false },
      usage: { calls: 3, promptTokens: 300, completionTokens: 30, estimated: false, costUsd: null },
    });
    expect(model.calls[1]?.body.messages.at(-1)).toEqual({
      role: 'user',
      content: 'Exit code: 3\nOutput:\ncontent of a\nset\n',
    });
    expect((await sandbox.getFile(`${sandbox.workdir}/a.txt`, 100))?.toString()).toBe('mended\n');
    expect(log).toContain('content of a');
  });

  test('asks with a stream and its usage, the key in the header, the task and the seconds left in the prompt', async () => {
    model.play(runs('echo ASSAY_SUBMIT'));
    await run({ deadline: new Date(Date.now() + 90_000), limits: { ...NO_LIMITS, turns: 7 } });
    const [call] = model.calls;
    expect(call).toMatchObject({
      path: '/v1/chat/completions',
      authorization: `Bearer ${KEY}`,
      body: { model: 'model-1', stream: true, stream_options: { include_usage: true } },
    });
    const prompt = call?.body.messages[1]?.content ?? '';
    expect(prompt).toMatch(/^Task: task-1$/m);
    expect(prompt).toMatch(/You have (89|90) seconds and 7 turns\./);
    expect(prompt).toContain('Mend a.txt.');
  });

  test('the key is nowhere in the sandbox: no environment, argument, file, log or step', async () => {
    model.play(
      runs('env; cat /proc/self/cmdline /proc/*/environ 2>/dev/null | tr "\\0" "\\n" | grep -a "ASSAY_SANDBOX" | head'),
      runs('grep -rl sk-canary "$HOME" "$TMPDIR" "$APP_DIR" "$LOGS_DIR"; env | grep -c sk-canary'),
      runs('echo ASSAY_SUBMIT'),
    );
    const report = await run();
    expect(report.crash).toBeNull();
    expect(JSON.stringify(report)).not.toContain(KEY);
    expect(log).not.toContain(KEY);
    expect(JSON.stringify(model.calls.map(({ body }) => body))).not.toContain(KEY);
  });

  test('steps hold what was said, run and seen, in order', async () => {
    model.play(runs('echo one'), runs('echo ASSAY_SUBMIT'));
    const { steps } = await run();
    expect(steps.map(({ source }) => source)).toEqual(['system', 'user', 'agent', 'agent']);
    expect(steps[2]).toMatchObject({
      toolCalls: [{ name: 'bash', arguments: { command: 'echo one' } }],
      observations: [{ content: 'Exit code: 0\nOutput:\none\n' }],
      metrics: { promptTokens: 100, completionTokens: 10 },
    });
  });

  test('a reply without exactly one block is answered with a reminder; the third in a row is the agent s crash', async () => {
    model.play(
      says('no block'),
      says('```bash\na\n```\n```bash\nb\n```'),
      runs('true'),
      says(''),
      says('x'),
      says('y'),
    );
    const report = await run();
    expect(report.crash).toMatchObject({ blame: 'agent', code: 'agent_malformed' });
    expect(report.model.completedExchanges).toBe(6);
    expect(model.calls[1]?.body.messages.at(-1)?.content).toMatch(/exactly one/);
  });

  test('a long output is shown by its beginning and its end', async () => {
    model.play(runs('seq 1 100000'), runs('echo ASSAY_SUBMIT'));
    await run();
    const shown = model.calls[1]?.body.messages.at(-1)?.content ?? '';
    expect(shown.length).toBeLessThan(11_000);
    expect(shown).toMatch(/^1\n2\n/m);
    expect(shown).toMatch(/characters left out/);
    expect(shown).toMatch(/output was longer than is kept/i);
  });

  describe('limits', () => {
    test('turns end it before one too many is asked', async () => {
      model.play(runs('true'));
      const report = await run({ limits: { ...NO_LIMITS, turns: 2 } });
      expect([report.limit, model.calls.length]).toEqual(['turns', 2]);
    });

    test('calls end it', async () => {
      model.play(runs('true'));
      expect((await run({ limits: { ...NO_LIMITS, calls: 3 } })).limit).toBe('calls');
      expect(model.calls).toHaveLength(3);
    });

    test('tokens end it, prompt and completion together', async () => {
      model.play(runs('true'));
      expect((await run({ limits: { ...NO_LIMITS, tokens: 220 } })).limit).toBe('tokens');
      expect(model.calls).toHaveLength(2);
    });

    test('cost ends it, counted by the prices of the suite', async () => {
      model.play(runs('true'));
      const options = { pricePerMillion: { prompt: 10_000, completion: 0 } };
      const report = await run({ limits: { ...NO_LIMITS, costUsd: 2.5 }, options });
      expect([report.limit, report.usage.costUsd]).toEqual(['cost', 3]);
    });

    test('time ends it in the middle of a command, which is killed; that is no failure of the model', async () => {
      model.play(runs('echo begun > begun.txt; sleep 60'));
      const report = await run({ signal: AbortSignal.timeout(1_000) });
      expect(report).toMatchObject({ limit: 'time', crash: null, model: { lastFailedUpstream: false } });
      expect(await sandbox.getFile(`${sandbox.workdir}/begun.txt`, 100)).not.toBeNull();
    });

    test('time ends it in the middle of an exchange; that is no failure of the model either', async () => {
      model.play(runs('true'), hangs);
      const report = await run({ signal: AbortSignal.timeout(1_000) });
      expect(report).toMatchObject({
        limit: 'time',
        crash: null,
        model: { completedExchanges: 1, lastFailedUpstream: false },
      });
    });
  });

  describe('a model that fails', () => {
    test.each([
      ['that is cut', cuts],
      ['without its end', stopsShort],
      ['with an error in it', failsMidway],
      ['with an event that is no JSON', garbles],
    ])('a stream %s is asked for again at once and forgotten when it works', async (_name, fault) => {
      model.play(fault, fault, runs('echo ASSAY_SUBMIT'));
      const report = await run();
      expect(report).toMatchObject({ crash: null, model: { completedExchanges: 1, lastFailedUpstream: false } });
      expect(model.calls).toHaveLength(3);
    });

    test('after three broken streams it is our fault, with what was seen and spent', async () => {
      model.play(runs('true'), stopsShort);
      const report = await run();
      expect(report.crash).toMatchObject({ blame: 'infra', code: 'model_unavailable' });
      expect(report.model).toEqual({ usesModel: true, completedExchanges: 1, lastFailedUpstream: true });
      expect([model.calls.length, report.usage.promptTokens]).toEqual([4, 100]);
    });

    test.each([429, 500, 503])('%d is our fault, and not asked again: the gateway has done that', async (status) => {
      model.play(runs('true'), refuses(status, { 'retry-after': '1' }), runs('echo ASSAY_SUBMIT'));
      const report = await run();
      expect(report.crash).toMatchObject({ blame: 'infra', code: 'model_unavailable' });
      expect(report.model).toEqual({ usesModel: true, completedExchanges: 1, lastFailedUpstream: true });
      expect(model.calls).toHaveLength(2);
    });

    test('nobody at the address is our fault', async () => {
      const report = await run({ endpoint: { baseUrl: 'http://127.0.0.1:9/v1', apiKey: KEY } });
      expect(report.crash).toMatchObject({ blame: 'infra', code: 'model_unavailable' });
      expect(JSON.stringify(report.crash?.toFailure())).not.toContain(KEY);
    });

    test.each([401, 403, 404])('%d is our fault and not tried again', async (status) => {
      model.play(refuses(status));
      expect((await run()).crash).toMatchObject({ blame: 'infra', code: 'model_refused' });
      expect(model.calls).toHaveLength(1);
    });

    test('a conversation that has grown too long for it is the agent s fault', async () => {
      model.play(refuses(400, {}, '{"error":{"code":"context_length_exceeded"}}'));
      const report = await run();
      expect(report.crash).toMatchObject({ blame: 'agent', code: 'agent_context_exceeded' });
      expect(report.model.lastFailedUpstream).toBe(false);
    });

    test('no model at all is our fault', async () => {
      expect((await run({ endpoint: null })).crash).toMatchObject({ blame: 'infra', code: 'model_not_configured' });
    });
  });

  test('without usage the tokens are estimated, and marked so', async () => {
    model.play(says('```bash\necho ASSAY_SUBMIT\n```', null));
    const { usage } = await run();
    expect(usage.estimated).toBe(true);
    expect(usage.promptTokens).toBeGreaterThan(100);
    expect(usage.completionTokens).toBeGreaterThan(3);
  });

  test('a sandbox that dies is our fault', async () => {
    model.play(runs('true'));
    const running = run();
    await eventually(() => model.calls.length > 1);
    await sandbox.destroy();
    expect((await running).crash).toMatchObject({ blame: 'infra', code: 'sandbox_gone' });
  });
});
