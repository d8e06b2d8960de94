import type { Sandbox } from '@assay/sandbox';
import { AgentBench, inside } from '../harness/agent-bench';
import { AgentHome } from './home';

let bench: AgentBench;
let sandbox: Sandbox;
beforeAll(async () => {
  bench = await AgentBench.open();
});
afterAll(() => bench.close());
beforeEach(async () => {
  sandbox = await bench.sandbox({});
});
afterEach(() => sandbox.destroy());

test('is a folder that only its own user may enter', async () => {
  const home = await AgentHome.make(sandbox, new AbortController().signal);
  expect(await inside(sandbox, `stat -c %a '${home.dir}'`)).toBe('700\n');
});

test('that cannot be made is our fault: the image has something in its place', async () => {
  await inside(sandbox, 'echo x > "$LOGS_DIR/agent/home"');
  await expect(AgentHome.make(sandbox, new AbortController().signal)).rejects.toMatchObject({
    blame: 'infra',
    code: 'agent_home_unwritable',
  });
});

test('that was not made because the trial is over is no failure', async () => {
  await inside(sandbox, 'echo x > "$LOGS_DIR/agent/home"');
  await expect(AgentHome.make(sandbox, AbortSignal.abort())).resolves.toBeInstanceOf(AgentHome);
});
