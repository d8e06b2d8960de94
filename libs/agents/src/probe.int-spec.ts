import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createRawServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Sandbox } from '@assay/sandbox';
import { freePort } from '@assay/testing';
import { AgentBench } from './harness/agent-bench';
import { agentNamed } from './registry';
import type { TrajectoryStep } from './trajectory/trajectory-step';
import type { AgentRun } from './trial-agent.port';

describe('the probe', () => {
  let bench: AgentBench;
  let sandbox: Sandbox;
  beforeAll(async () => {
    bench = await AgentBench.open();
  });
  afterAll(() => bench.close());
  beforeEach(async () => {
    sandbox = await bench.sandbox({ 'a.txt': 'as it was\n' });
  });
  afterEach(() => sandbox.destroy());

  const told: TrajectoryStep[] = [];
  function run(overrides: Partial<AgentRun> = {}) {
    told.length = 0;
    return agentNamed('probe').run({
      sandbox,
      task: { instanceId: 't', instruction: '', solutionDir: null, solutionEnv: {}, solutionPatch: null, env: {} },
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
      log: () => undefined,
      steps: {
        step: (step: TrajectoryStep) => void told.push(step),
        observed: () => undefined,
      },
      ...overrides,
    });
  }
  const at = (port: number) => ({ gateway: { url: `http://127.0.0.1:${port}`, token: 'unused' } });

  test('runs a command, changes nothing and asks no model', async () => {
    const report = await run();
    expect(report).toMatchObject({ limit: null, crash: null, model: { usesModel: false }, usage: { calls: 0 } });
    expect(report.steps.map(({ message }) => message)).toEqual(['a command can be run']);
    expect(told).toEqual(report.steps);
    expect((await sandbox.getFile(`${sandbox.workdir}/a.txt`, 100))?.toString()).toBe('as it was\n');
  });

  test('asks the gateway for its status line, without the token', async () => {
    const seen: (string | undefined)[] = [];
    const gateway = createServer((request, response) => {
      seen.push(`${request.method ?? ''} ${request.url ?? ''}`, request.headers.authorization);
      response.writeHead(401).end();
    }).listen(0, '127.0.0.1');
    await once(gateway, 'listening');
    const report = await run(at((gateway.address() as AddressInfo).port));
    gateway.close();
    expect(report.steps[1]).toMatchObject({
      message: 'the gateway answers',
      observations: [{ content: expect.stringContaining('HTTP/1.1 401') as string }],
    });
    expect(seen).toEqual(['GET /', undefined]);
  });

  test('a gateway that is not there is our fault', async () => {
    await expect(run(at(await freePort()))).rejects.toMatchObject({
      blame: 'infra',
      code: 'probe_failed',
      message: 'the check that the gateway answers failed: exit 1',
    });
  });

  test('so is one that speaks something else', async () => {
    const other = createRawServer((socket) => socket.end('hello\n')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    await expect(run(at((other.address() as AddressInfo).port))).rejects.toMatchObject({ code: 'probe_failed' });
    other.close();
  });
});
