import { PassThrough } from 'node:stream';
import { RunningExec } from './running-exec';

/** A container whose one command ends its stream at once, and of which the engine says what it is told to. */
function containerOf(inspected: () => { Running: boolean; ExitCode: number | null }): never {
  const stream = new PassThrough();
  const exec = { start: () => Promise.resolve(stream), inspect: () => Promise.resolve(inspected()) };
  stream.end();
  return { exec: () => Promise.resolve(exec) } as never;
}

const call = { command: ['x'], user: null, onContent: () => undefined };

test('the exit code is asked for until the engine knows it', async () => {
  const answers = [
    { Running: true, ExitCode: null },
    { Running: false, ExitCode: 3 },
  ];
  const running = await RunningExec.start(
    containerOf(() => answers.shift() ?? { Running: false, ExitCode: 9 }),
    call,
  );
  expect(await running.exitCode()).toBe(3);
});

test('a command whose stream has ended and that the engine says is running, for good, is lost: our fault', async () => {
  const running = await RunningExec.start(
    containerOf(() => ({ Running: true, ExitCode: null })),
    call,
  );
  await expect(running.exitCode(50)).rejects.toMatchObject({ blame: 'infra', code: 'exec_lost' });
});
