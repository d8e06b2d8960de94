import type { ArtifactRef, InstanceView } from '@assay/contracts';
import { describeNeeding, eventually, missingTestImage, PROJECT_ROOT, testImage } from '@assay/testing';
import { join } from 'node:path';
import { DATABASE_PASSWORD, GITHUB_TOKEN, MODEL_KEY, scratchFolder, TestDeployment } from '../harness/deployment';
import { everythingKept, type Kept } from '../harness/everything-kept';
import { containersOf, everythingShown } from '../harness/everything-shown';
import { writeSuite } from '../harness/suite-builder';

// Real agents in sealed containers: what they reach, what they leave, what is told of them.

interface Trajectory {
  readonly schema_version: string;
  readonly steps: { tool_calls?: { function_name: string }[] }[];
  readonly final_metrics: { total_prompt_tokens: number; total_completion_tokens: number };
}

const SECRETS = [MODEL_KEY, GITHUB_TOKEN, DATABASE_PASSWORD];

/** Where a secret stands that should not. */
function leaksIn(kept: readonly Kept[], secrets = SECRETS): string[] {
  return kept.filter(({ text }) => secrets.some((secret) => text.includes(secret))).map(({ place }) => place);
}

/** Prints what an agent finds when it looks around; each line is a finding. */
const PROBES = `
for port in 53 80 443; do timeout 3 bash -c "exec 3<>/dev/tcp/1.1.1.1/$port" 2>/dev/null && echo OUTSIDE:$port; done
for host in 172.17.0.1 host.docker.internal localhost; do
  for port in $PORTS; do timeout 3 bash -c "exec 3<>/dev/tcp/$host/$port" 2>/dev/null && echo HOST:$host:$port; done
done
timeout 5 bash -c 'exec 3<>/dev/tcp/127.0.0.1/8080' && echo GATEWAY
ls /var/run/docker.sock /run/docker.sock 2>/dev/null && echo SOCKET
for name in /sys/class/net/*; do echo "INTERFACE:\${name##*/}"; done
cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | sort -u
grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/self/status | tr -d ' \\t'
ls -a /tests /solution 2>/dev/null
`;

describeNeeding(missingTestImage(), 'agents in sealed containers', () => {
  let scratch: Awaited<ReturnType<typeof scratchFolder>>;
  let deployment: TestDeployment;

  async function start(options: Partial<Parameters<typeof TestDeployment.start>[0]>): Promise<void> {
    const env = { ASSAY_BASE_IMAGE: testImage() };
    const docker = { suitesDir: scratch.dir, sandbox: 'docker', timeScale: 0.2, env } as const;
    deployment = await TestDeployment.start({ ...docker, ...options });
  }
  beforeEach(async () => {
    scratch = await scratchFolder();
  });
  afterEach(async () => {
    await deployment.stop();
    await scratch.remove();
  });

  async function artifact({ history }: InstanceView, name: string): Promise<string> {
    const refs = history.flatMap(({ artifacts }) => artifacts as ArtifactRef[]);
    const ref = refs.filter((each) => each.name === name).at(-1);
    if (ref === undefined) throw new Error(`no ${name} among ${refs.map((each) => each.name).join(', ')}`);
    return deployment.artifact(ref.digest);
  }

  test('the real qwen CLI resolves a task; its tool calls are told, and its tokens to the token', async () => {
    await start({ suitesDir: join(PROJECT_ROOT, 'suites'), slots: 1 });
    const { runId } = await deployment.submit({ suite: 'demo', agent: 'qwen-code', instanceId: 'lru-cache' as never });
    await deployment.finished(runId, 280_000);
    const [instance] = await deployment.instances(runId);
    expect(instance).toMatchObject({ state: 'RESOLVED', failure: null, attempts: 1, limit: null });

    const trajectory = JSON.parse(await artifact(instance!, 'trajectory')) as Trajectory;
    const called = trajectory.steps.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => call.function_name));
    expect(trajectory.schema_version).toBe('ATIF-v1.7');
    expect(called).toEqual(expect.arrayContaining(['write_file', 'run_shell_command']));

    const usages = (await deployment.modelRequests()).flatMap(({ usage }) => (usage === null ? [] : [usage]));
    const sum = (field: 'prompt_tokens' | 'completion_tokens') => usages.reduce((all, usage) => all + usage[field], 0);
    expect(usages.length).toBeGreaterThan(1);
    expect(trajectory.final_metrics).toMatchObject({
      total_prompt_tokens: sum('prompt_tokens'),
      total_completion_tokens: sum('completion_tokens'),
    });

    expect(leaksIn(await everythingKept(deployment))).toEqual([]);
  }, 300_000);

  test('an agent that probes finds the gateway and nothing else', async () => {
    await start({ slots: 1 });
    const ports = [deployment.url, deployment.githubUrl, deployment.modelUrl, deployment.servers.nats.url]
      .concat(deployment.servers.database.url)
      .map((url) => new URL(url).port);
    const script = `PORTS="${ports.join(' ')}"\n(${PROBES}) > found.txt 2>&1; echo right > answer.txt`;
    await writeSuite(scratch.dir, {
      name: 'probes',
      agent: { name: 'command', options: { command: ['bash', '-c', script] } },
      tasks: [{ id: 'look-around' }],
    });
    const { runId } = await deployment.submit({ suite: 'probes' });
    await deployment.finished(runId, 120_000);
    const [instance] = await deployment.instances(runId);
    expect(instance).toMatchObject({ state: 'RESOLVED', failure: null });
    const patch = await artifact(instance!, 'patch');
    const found = patch
      .split('\n')
      .filter((line) => /^\+[A-Z]+:|^\+(GATEWAY|SOCKET|CapEff|NoNewPrivs|Seccomp)/.test(line));
    expect(found.sort()).toEqual([
      '+CapEff:0000000000000000',
      '+GATEWAY',
      '+INTERFACE:lo',
      '+NoNewPrivs:1',
      '+Seccomp:2',
    ]);
    for (const secret of SECRETS) expect(patch).not.toContain(secret);
    expect(patch).not.toMatch(/solve\.sh|test\.sh/);
  }, 180_000);

  test('eight trials of a killed executor leave nothing on the engine, and all eight are tried again', async () => {
    await start({ slots: 8, timeScale: 0.06, env: { ASSAY_BASE_IMAGE: testImage(), ASSAY_REAP_SECONDS: '2' } });
    const leaseMs = 90_000 * 0.06;
    await writeSuite(scratch.dir, {
      name: 'eight',
      agent: { name: 'command', options: { command: ['bash', '-c', 'sleep 12; echo right > answer.txt'] } },
      tasks: Array.from({ length: 8 }, (_, index) => ({ id: `task-${index + 1}` })),
    });
    const { runId } = await deployment.submit({ suite: 'eight' });
    await eventually(async () => (await deployment.run(runId)).states.RUNNING_AGENT === 8, {
      timeoutMs: 120_000,
      what: 'eight agents to run',
    });
    const before = containers();
    expect(before.length).toBeGreaterThanOrEqual(8);
    const shown = await everythingShown(deployment);
    expect(shown.filter(({ place }) => place.startsWith('inspect')).length).toBeGreaterThanOrEqual(8);
    // The two that speak to the database have its address in their environment, and nobody has anything else.
    expect(leaksIn(shown).sort()).toEqual(['environment of coordinator', 'environment of dispatcher']);
    expect(leaksIn(shown, [MODEL_KEY, GITHUB_TOKEN])).toEqual([]);
    deployment.service('executor-1').signal('SIGKILL');
    await deployment.add('executor-2');
    await eventually(() => Promise.resolve(before.every((id) => !containers().includes(id))), {
      timeoutMs: leaseMs + 30_000,
      what: 'the containers of the killed executor to be gone',
    });
    await deployment.finished(runId, 180_000);
    const instances = await deployment.instances(runId);
    expect(instances.map(({ state, attempts }) => `${state} ${attempts}`)).toEqual(Array(8).fill('RESOLVED 2'));
  }, 400_000);

  const containers = (): string[] => containersOf(deployment);
});
