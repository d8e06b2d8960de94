import { eventually, PROJECT_ROOT } from '@assay/testing';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { scratchFolder } from '../harness/deployment';

/** Durations for a whole start, and for a whole stop with its graces. */
const START_MS = 60_000;
const STOP_MS = 30_000;

interface Start {
  readonly child: ChildProcess;
  readonly output: () => string;
}

describe('whatever stops a start, nothing of it is left', () => {
  let scratch: Awaited<ReturnType<typeof scratchFolder>>;
  const starts: Start[] = [];
  beforeAll(async () => {
    scratch = await scratchFolder();
  });
  afterAll(async () => {
    for (const { child } of starts) child.kill('SIGKILL');
    await scratch.remove();
  });

  /** `assay up` on one state folder, with the channel that `npm start` holds to it. */
  function start(): Start {
    const args = ['up', '--once', '--sandbox', 'process', '--port', '0', '--state-dir', join(scratch.dir, 'state')];
    const child = spawn(process.execPath, [join(PROJECT_ROOT, 'apps/cli/bin/assay.js'), ...args], {
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        ASSAY_NATS_SERVER: process.env['ASSAY_NATS_SERVER'],
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const started = { child, output: () => text };
    starts.push(started);
    return started;
  }

  const says = ({ output, child }: Start, words: string): Promise<void> =>
    eventually(
      () => {
        if (child.exitCode !== null) throw new Error(`ended with exit ${child.exitCode}: ${output()}`);
        return output().includes(words);
      },
      { timeoutMs: START_MS, what: words },
    );
  const gone = (): Promise<void> =>
    eventually(() => ours().length === 0, { timeoutMs: STOP_MS, what: 'every process to be gone' });
  const ours = (): string[] =>
    execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line.includes(scratch.dir));
  const exit = async ({ child }: Start): Promise<unknown> =>
    child.exitCode === null ? once(child, 'exit') : child.exitCode;

  test.each<[NodeJS.Signals, number, string, () => boolean]>([
    ['SIGINT', 130, 'PostgreSQL starts', () => ours().some((line) => line.includes('bin/postgres'))],
    ['SIGHUP', 129, 'the services start', () => ours().some((line) => line.includes('github-standin'))],
  ])(
    '%s while it starts: exit %i (%s)',
    async (signal, code, what, begun) => {
      const started = start();
      await eventually(begun, { timeoutMs: START_MS, what });
      started.child.kill(signal);
      expect(await exit(started)).toEqual([code, null]);
      await gone();
    },
    START_MS + STOP_MS,
  );

  test(
    'SIGTERM during the run: exit 143',
    async () => {
      const started = start();
      await says(started, 'running agent');
      started.child.kill('SIGTERM');
      expect(await exit(started)).toEqual([143, null]);
      await gone();
    },
    START_MS + STOP_MS,
  );

  test(
    '`npm start` killed during the run: it ends by itself',
    async () => {
      const started = start();
      await says(started, 'running agent');
      started.child.disconnect();
      expect(await exit(started)).toEqual([129, null]);
      await gone();
    },
    START_MS + STOP_MS,
  );

  test(
    'killed itself during the run: the next start ends what is left, and works at once',
    async () => {
      const killed = start();
      await says(killed, 'running agent');
      killed.child.kill('SIGKILL');
      expect(await exit(killed)).toEqual([null, 'SIGKILL']);
      const next = start();
      await says(next, 'submitted');
      next.child.kill('SIGTERM');
      expect(await exit(next)).toEqual([143, null]);
      await gone();
    },
    2 * START_MS + STOP_MS,
  );
});
