import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox } from '@assay/sandbox';
import { eventually } from '@assay/testing';
import { AgentBench, inside } from '../harness/agent-bench';
import { INIT, scriptAgent, VERSION } from '../harness/script-agent';
import { command } from '../adapters/command/command.agent';
import type { AgentReport, AgentRun } from '../trial-agent.port';
import type { CliAdapter } from './cli-adapter';
import { createCliAgent } from './create-cli-agent';

const TOKEN = 'token-canary-2c8e';
const GATEWAY = { url: 'http://127.0.0.1:9', token: TOKEN };

let bench: AgentBench;
let sandbox: Sandbox;
let log = '';
beforeAll(async () => {
  bench = await AgentBench.open();
});
afterAll(() => bench.close());
beforeEach(async () => {
  log = '';
  sandbox = await bench.sandbox({ 'a.txt': 'orig\n' });
});
afterEach(() => sandbox.destroy());

function aRun(seconds: number, change: Partial<AgentRun> = {}): AgentRun {
  return {
    sandbox,
    task: {
      instanceId: 'task-1',
      instruction: 'Mend it.',
      solutionDir: null,
      solutionEnv: {},
      solutionPatch: null,
      env: { TASK_VARIABLE: 'of the task' },
    },
    limits: {
      wallSeconds: seconds,
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
    model: 'model-1',
    endpoint: null,
    gateway: GATEWAY,
    layer: null,
    deadline: new Date(Date.now() + seconds * 1000),
    signal: new AbortController().signal,
    log: (text) => {
      log += text;
    },
    ...change,
  };
}

async function play(
  script: string,
  {
    seconds = 30,
    run = {},
    adapter = {},
  }: { seconds?: number; run?: Partial<AgentRun>; adapter?: Partial<CliAdapter> } = {},
): Promise<AgentReport> {
  const { agent, layer } = await scriptAgent(bench, script, adapter);
  return agent.run(aRun(seconds, { layer, ...run }));
}

const wrote = async (name: string): Promise<string | null> =>
  (await sandbox.getFile(`${sandbox.workdir}/${name}`, 100_000))?.toString() ?? null;

describe('how a program is started', () => {
  test('in the workspace, with the prompt on its standard input and the variables of plan and task', async () => {
    const report = await play('cat > prompt.txt; echo "$GATEWAY $TOKEN $TASK_VARIABLE" > env.txt');
    expect(report).toMatchObject({ limit: null, crash: null, steps: [{ source: 'user' }] });
    const prompt = await wrote('prompt.txt');
    expect(prompt).toMatch(/^Task: task-1\nWorking directory: .*\nYou have (29|30) seconds\.\n\nMend it\.$/);
    expect(report.steps[0]?.message).toBe(prompt);
    expect(await wrote('env.txt')).toBe(`${GATEWAY.url} ${TOKEN} of the task\n`);
  });

  test('with a fresh home of its own, outside of the workspace, that holds the files of the plan', async () => {
    const script =
      'ls -A "$HOME" > ls.txt; cat "$HOME/.conf/a b.json" > conf.txt; echo "$HOME" > home.txt; touch "$HOME/mine"';
    await play(script, {
      adapter: {
        plan: ({ layer }) => ({
          argv: ['bash', `${layer?.dir ?? ''}/agent.sh`],
          env: {},
          stdin: null,
          files: { '.conf/a b.json': '{"x":1}' },
        }),
      },
    });
    expect([await wrote('ls.txt'), await wrote('conf.txt')]).toEqual(['.conf\n', '{"x":1}']);
    expect((await wrote('home.txt'))?.startsWith(sandbox.workdir)).toBe(false);
  });

  test('with arguments as they are, whatever they hold, and nothing to read where the plan has nothing', async () => {
    const odd = ['--x', 'a b', "it's", '"$HOME" `id`', 'ä\n*', ''];
    await play('printf "[%s]" "$@" > args.txt; cat > stdin.txt', {
      adapter: {
        plan: ({ layer }) => ({ argv: ['bash', `${layer?.dir ?? ''}/agent.sh`, ...odd], env: {}, stdin: null }),
      },
    });
    expect(await wrote('args.txt')).toBe(odd.map((word) => `[${word}]`).join(''));
    expect(await wrote('stdin.txt')).toBe('');
  });

  test('told less time than it has, so that it can end by itself', async () => {
    let told = 0;
    const plan: CliAdapter['plan'] = ({ seconds }) => {
      told = seconds;
      return { argv: ['true'], env: {}, stdin: null };
    };
    await play('', { seconds: 100, adapter: { plan } });
    expect(told).toBeGreaterThanOrEqual(88);
    expect(told).toBeLessThanOrEqual(90);
  });
});

describe('what a version can do is found out before use', () => {
  const asking: Partial<CliAdapter> = {
    help: ({ dir }) => ({ argv: ['bash', `${dir}/agent.sh`, '--help'] }),
    plan: ({ layer, takes }) => ({
      argv: ['bash', `${layer?.dir ?? ''}/agent.sh`, ...['--new', '--old'].filter((flag) => takes(flag))],
      env: {},
      stdin: null,
    }),
  };
  const SCRIPT =
    'if [ "$1" = --help ]; then echo x >> help.txt; echo "  -o, --old N  an old flag"; else echo "$*" > args.txt; fi';

  test('a flag that its help does not name is not used, and the help is asked for once', async () => {
    const { agent, layer } = await scriptAgent(bench, SCRIPT, asking);
    await agent.run(aRun(30, { layer }));
    await agent.run(aRun(30, { layer }));
    expect([await wrote('args.txt'), await wrote('help.txt')]).toEqual(['--old\n', 'x\n']);
  });

  test('a program that cannot be started is our fault, and asked again the next time', async () => {
    const broken = { ...asking, help: () => ({ argv: ['/no/such/program', '--help'] }) };
    const { agent, layer } = await scriptAgent(bench, SCRIPT, broken);
    for (let at = 0; at < 2; at += 1) {
      expect((await agent.run(aRun(30, { layer }))).crash).toMatchObject({ blame: 'infra', code: 'agent_not_started' });
    }
  });

  test('a program that fails when it is asked is its own fault', async () => {
    const report = await play('echo "SyntaxError: no"; exit 1', { adapter: asking });
    expect(report.crash?.toFailure()).toMatchObject({
      blame: 'agent',
      code: 'agent_crashed',
      details: { exitCode: 1, tail: 'SyntaxError: no\n' },
    });
  });

  test('another version than the one that was frozen is our fault, whether its stream tells or it is asked', async () => {
    const differs = { blame: 'infra', code: 'agent_version_differs', details: { wanted: VERSION, told: '1.2.4' } };
    const started = Date.now();
    const byStream = await play(`${INIT.replace(VERSION, '1.2.4')}; sleep 60`);
    expect(byStream.crash?.toFailure()).toMatchObject(differs);
    expect(Date.now() - started).toBeLessThan(20_000);
    const byQuestion = await play('touch ran.txt', { adapter: { tellsVersion: () => ({ argv: ['echo', 'v1.2.4'] }) } });
    expect(byQuestion.crash?.toFailure()).toMatchObject(differs);
    expect(await wrote('ran.txt')).toBeNull();
  });
});

describe('how it ends', () => {
  test('before its deadline it is asked to stop, with its whole group, and may end well', async () => {
    const script = `${INIT}; reply one; trap 'echo bye > bye.txt; echo "{\\"type\\":\\"result\\"}"; exit 0' TERM; (trap 'echo child > child.txt' TERM; sleep 60) & wait; wait`;
    const report = await play(script, { seconds: 4 });
    expect(report).toMatchObject({ limit: null, crash: null });
    expect(await wrote('bye.txt')).toBe('bye\n');
    await eventually(async () => (await wrote('child.txt')) === 'child\n');
  });

  test.each([130, 0])(
    'one that ends with %d when asked to stop, and says no more, has reached the limit of time',
    async (code) => {
      const report = await play(`trap "exit ${code}" TERM; sleep 60 & wait`, { seconds: 3 });
      expect(report).toMatchObject({ limit: 'time', crash: null });
    },
  );

  test('one that does not listen is killed at its deadline, with what left its session, and its work is kept', async () => {
    const script = `trap '' TERM; echo half > a.txt; ${INIT}; reply one
      setsid bash -c "trap '' TERM; while :; do sleep 0.2; done" 7171 & while :; do sleep 0.2; done`;
    const started = Date.now();
    const report = await play(script, { seconds: 3 });
    expect(report).toMatchObject({
      limit: 'time',
      crash: null,
      usage: { calls: 1, promptTokens: 10, completionTokens: 2 },
    });
    expect(Date.now() - started).toBeLessThan(13_000);
    expect(report.steps.map(({ message }) => message).at(-1)).toBe('one');
    expect(await wrote('a.txt')).toBe('half\n');
    const left = await inside(
      sandbox,
      'cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" "\\n" | grep -cx 717[1] || true',
    );
    expect(left.trim()).toBe('0');
  });

  test('one that must stop because its work is not ours any more stops at once', async () => {
    const abort = new AbortController();
    const running = play(`${INIT}; reply one; sleep 60`, {
      run: {
        signal: abort.signal,
        log: () => {
          abort.abort();
        },
      },
    });
    expect(await running).toMatchObject({ limit: 'time', crash: null });
  });

  test('one that knows no limit of turns is stopped at the first reply too many', async () => {
    const limits = { ...aRun(30).limits, turns: 2 };
    const script = `${INIT}; for n in 1 2 3 4 5; do reply $n; sleep 0.5; done; sleep 60`;
    const report = await play(script, { run: { limits } });
    expect(report).toMatchObject({ limit: 'turns', crash: null });
    expect(report.usage.calls).toBe(3);
  });

  test.each([
    ['an exit that is no success', 'echo broken >&2; exit 7', 'agent', 'agent_crashed'],
    ['its own end by a signal', 'kill -SEGV $$', 'agent', 'agent_crashed'],
    ['a model that refused', 'echo "API Error: 401 no"; exit 1', 'infra', 'model_refused'],
    ['a model that was not there', 'echo "Error: fetch failed"; exit 1', 'infra', 'model_unavailable'],
    [
      'a conversation that is too long',
      'echo "400 context_length_exceeded"; exit 1',
      'agent',
      'agent_context_exceeded',
    ],
    ['a program that is not there', 'exec /no/such/program', 'infra', 'agent_not_started'],
  ])('%s', async (_name, script, blame, code) => {
    expect((await play(script)).crash?.toFailure()).toMatchObject({ blame, code });
  });

  test('a crash shows the end of what was said, without the token', async () => {
    const report = await play('for i in $(seq 500); do echo "line $i"; done; echo "the token is $TOKEN"; exit 3');
    const { details } = report.crash?.toFailure() ?? { details: {} };
    expect(details).toMatchObject({
      exitCode: 3,
      tail: expect.stringMatching(/line 500\nthe token is \[redacted\]$/) as string,
    });
  });

  test('a sandbox that dies under it is our fault', async () => {
    const report = await play(`${INIT}; reply one; sleep 60`, {
      run: { log: (text) => void (text.includes('one') && sandbox.destroy()) },
    });
    expect(report.crash).toMatchObject({ blame: 'infra', code: 'sandbox_gone' });
    expect(report.usage.calls).toBe(1);
  });
});

describe('what it says', () => {
  test('is logged line by line and without the token, also where that comes in two pieces', async () => {
    await play('printf "a %s" "${TOKEN%2c8e}"; sleep 0.3; printf "2c8e b\\nlast"');
    expect(log).toBe('a [redacted] b\nlast\n');
  });

  test('a talker without an end of line costs no memory', async () => {
    const before = process.memoryUsage.rss();
    const report = await play('head -c 300000000 /dev/zero; echo; reply "after all"', {
      run: {
        log: (text) => {
          log = text.slice(-200);
        },
      },
    });
    expect(report.steps.at(-1)?.message).toBe('after all');
    expect(process.memoryUsage.rss() - before).toBeLessThan(250_000_000);
  });

  test('its own logs come to the host, and the token is not in them', async () => {
    const dir = await bench.folder();
    const script =
      'mkdir -p "$HOME/logs/deep"; printf "x%sy" "$TOKEN" > "$HOME/logs/deep/db"; ln -s /etc/passwd "$HOME/logs/link"';
    await play(script, { run: { ownLogsDir: dir }, adapter: { ownLogs: 'logs' } });
    expect(await readFile(join(dir, 'deep/db'), 'utf8')).toBe(`x${'*'.repeat(TOKEN.length)}y`);
  });

  test('own logs that are too large fail nothing: the log says so', async () => {
    const script = 'mkdir -p "$HOME/logs"; truncate -s 70M "$HOME/logs/large"';
    const report = await play(script, { run: { ownLogsDir: await bench.folder() }, adapter: { ownLogs: 'logs' } });
    expect(report.crash).toBeNull();
    expect(log).toMatch(/own log cannot be kept: workspace_too_large/);
  });
});

describe('what it needs', () => {
  test('an executor without a gateway, or without its package, is ours to mend', async () => {
    const { agent, layer } = await scriptAgent(bench, 'true');
    await expect(agent.run(aRun(30, { layer, gateway: null }))).rejects.toMatchObject({ code: 'model_not_configured' });
    await expect(agent.run(aRun(30, { layer: null }))).rejects.toMatchObject({
      blame: 'infra',
      code: 'agent_layer_missing',
    });
  });
});

describe('the agent `command`', () => {
  const agent = createCliAgent(command);

  test('runs what the suite names, with the prompt and the way to the model', async () => {
    const program =
      'cat > in.txt; cmp in.txt "$ASSAY_PROMPT_FILE" && echo "$OPENAI_BASE_URL $ANTHROPIC_BASE_URL $OPENAI_MODEL $MINE" > out.txt';
    const options = { command: ['bash', '-c', program], env: { MINE: 'yes' } };
    expect(await agent.run(aRun(30, { options }))).toMatchObject({ limit: null, crash: null });
    expect(await wrote('out.txt')).toBe(`${GATEWAY.url}/v1 ${GATEWAY.url} model-1 yes\n`);
  });

  test('options that are wrong are the fault of the suite, and named', async () => {
    const report = await agent.run(aRun(30, { options: { command: 'bash', envs: {} } }));
    expect(report.crash?.toFailure()).toMatchObject({ blame: 'task', code: 'agent_options_invalid' });
    expect(report.crash?.message).toMatch(/agent\.options\.command: .*array.*envs/s);
  });
});
