import { eventually } from '@assay/testing';
import { SandboxHarness, shell, type Adapter } from './sandbox-harness';

/** How every sandbox runs commands. */
export function execConformance(adapter: Adapter): void {
  describe('running commands', () => {
    const harness = new SandboxHarness(adapter);
    beforeAll(() => harness.open());
    afterAll(() => harness.close());

    test('a command answers with its exit code and its output', async () => {
      const sandbox = await harness.sandbox();
      const result = await sandbox.exec(shell('echo out; exit 7'));
      expect(result).toMatchObject({ exitCode: 7, truncated: false, timedOut: false, outOfMemory: false });
      expect(result.output.toString()).toBe('out\n');
    });

    test('both streams come as one, in the order in which they were written', async () => {
      const sandbox = await harness.sandbox();
      const script = 'i=0; while [ $i -lt 2000 ]; do echo "o$i"; echo "e$i" >&2; i=$((i+1)); done';
      const { output } = await sandbox.exec(shell(script));
      const expected = Array.from({ length: 2000 }, (_, i) => `o${i}\ne${i}\n`).join('');
      expect(output.toString()).toBe(expected);
    });

    test('a command runs in the working directory, or where it is told to', async () => {
      const sandbox = await harness.sandbox();
      expect((await sandbox.exec(shell('cat greeting.txt; pwd'))).output.toString()).toBe(
        `hello\n${sandbox.workdir}\n`,
      );
      expect((await sandbox.exec(shell('ls', { cwd: `${sandbox.workdir}/src` }))).output.toString()).toBe('tool.sh\n');
    });

    test('a working directory that is gone is a failed command, not a failed engine', async () => {
      const sandbox = await harness.sandbox();
      await sandbox.exec(shell(`rm -rf ${sandbox.workdir}/src`));
      const result = await sandbox.exec(shell('true', { cwd: `${sandbox.workdir}/src` }));
      expect(result.exitCode).toBe(126);
    });

    test('a program that does not exist is a failed command that says so', async () => {
      const sandbox = await harness.sandbox();
      const result = await sandbox.exec({ ...shell(''), command: ['no-such-program'] });
      expect(result.exitCode).toBe(127);
      expect(result.output.toString()).toMatch(/no-such-program/);
    });

    test('arguments reach the program as they are, whatever characters they hold', async () => {
      const sandbox = await harness.sandbox();
      const odd = ['a b', "it's", '"$HOME"', '`id`', 'ä\n', '*', ''];
      const result = await sandbox.exec({ ...shell(''), command: ['printf', '[%s]', ...odd] });
      expect(result.output.toString()).toBe(odd.map((word) => `[${word}]`).join(''));
    });

    test('a command that a signal ends has 128 and the signal as its exit code', async () => {
      const sandbox = await harness.sandbox();
      expect((await sandbox.exec(shell('kill -SEGV $$'))).exitCode).toBe(139);
    });

    test('at its deadline a command is killed, though it ignores TERM, and so is what left its session', async () => {
      const sandbox = await harness.sandbox();
      const script = `trap '' TERM; setsid sh -c 'trap "" TERM; while :; do sleep 0.1; done' 4242 & while :; do sleep 0.1; done`;
      const result = await sandbox.exec(shell(script, { timeoutMs: 700 }));
      expect(result).toMatchObject({ exitCode: null, timedOut: true });
      expect(result.durationMs).toBeLessThan(8_000);
      await eventually(async () => {
        const seen = await sandbox.exec(
          shell('cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" "\\n" | grep -cx 424[2]'),
        );
        return seen.output.toString().trim() === '0';
      });
    });

    test('after a deadline the sandbox still works', async () => {
      const sandbox = await harness.sandbox();
      await sandbox.exec(shell('sleep 30', { timeoutMs: 300 }));
      expect((await sandbox.exec(shell('cat greeting.txt'))).output.toString()).toBe('hello\n');
    });

    test('aborting kills the command at once', async () => {
      const sandbox = await harness.sandbox();
      const abort = new AbortController();
      const running = sandbox.exec(
        shell('echo ready; sleep 30', {
          signal: abort.signal,
          onOutput: () => {
            abort.abort();
          },
        }),
      );
      expect(await running).toMatchObject({ exitCode: null, timedOut: false });
      expect((await running).durationMs).toBeLessThan(8_000);
    });

    test('a command whose signal was aborted before does not run', async () => {
      const sandbox = await harness.sandbox();
      const result = await sandbox.exec(shell('echo ran > ran.txt', { signal: AbortSignal.abort() }));
      expect(result).toMatchObject({ exitCode: null, timedOut: false });
      expect(await sandbox.list(sandbox.workdir)).not.toContain('ran.txt');
    });

    test('a child in the background that holds the output does not hold the command', async () => {
      const sandbox = await harness.sandbox();
      const result = await sandbox.exec(shell('echo started; sleep 60 & exit 0', { timeoutMs: 20_000 }));
      expect(result).toMatchObject({ exitCode: 0, timedOut: false });
      expect(result.output.toString()).toBe('started\n');
      expect(result.durationMs).toBeLessThan(10_000);
    });

    test('a command in the background goes on while the next one runs', async () => {
      const sandbox = await harness.sandbox();
      await sandbox.exec(shell('(sleep 1; echo later > later.txt) >/dev/null 2>&1 &'));
      await eventually(async () => (await sandbox.getFile(`${sandbox.workdir}/later.txt`, 100)) !== null);
    });

    test('a talker of 1 GB costs no memory: what is beyond the bound is dropped and marked', async () => {
      const sandbox = await harness.sandbox();
      let bytes = 0;
      let peak = 0;
      const before = process.memoryUsage().rss;
      const result = await sandbox.exec(
        shell('head -c 1000000000 /dev/zero', {
          maxOutputBytes: 65_536,
          timeoutMs: 120_000,
          onOutput: (chunk) => {
            bytes += chunk.length;
            peak = Math.max(peak, process.memoryUsage.rss());
          },
        }),
      );
      expect(result).toMatchObject({ exitCode: 0, truncated: true });
      expect(result.output).toHaveLength(65_536);
      expect(bytes).toBe(1_000_000_000);
      expect(peak - before).toBeLessThan(150_000_000);
    }, 150_000);

    test('the environment is what is asked for and the sandbox own minimum, nothing of the executor', async () => {
      process.env['ASSAY_CANARY_SECRET'] = 'canary-5f1c';
      try {
        const sandbox = await harness.sandbox();
        const { output } = await sandbox.exec(shell('env', { env: { MINE: 'yes' } }));
        const names = output
          .toString()
          .split('\n')
          .map((line) => line.split('=')[0])
          .filter((name) => name !== '' && name !== '_' && name !== 'PWD' && name !== 'SHLVL' && name !== 'OLDPWD');
        const allowed = ['APP_DIR', 'GREETING', 'HOME', 'LANG', 'LOGS_DIR', 'MINE', 'PATH', 'SOLUTION_DIR'];
        const own = ['TESTS_DIR', 'TMPDIR', 'HOSTNAME', 'ASSAY_SANDBOX_EXEC', 'ASSAY_COMMAND'];
        expect(names.filter((name) => ![...allowed, ...own].includes(name ?? ''))).toEqual([]);
        expect(names).toEqual(expect.arrayContaining(allowed));
        expect(output.toString()).not.toContain('canary-5f1c');
        expect(output.toString()).toContain('GREETING=hello there\n');
      } finally {
        delete process.env['ASSAY_CANARY_SECRET'];
      }
    });

    test('the folder variables name folders that the paths of the sandbox name too', async () => {
      const sandbox = await harness.sandbox();
      const { output } = await sandbox.exec(shell('echo "$TESTS_DIR $SOLUTION_DIR $LOGS_DIR $APP_DIR"'));
      const { tests, solution, logs } = sandbox.paths;
      expect(output.toString()).toBe(`${tests} ${solution} ${logs} ${sandbox.workdir}\n`);
    });

    test('what a command writes to the logs folder can be read', async () => {
      const sandbox = await harness.sandbox();
      await sandbox.exec(shell('mkdir -p "$LOGS_DIR/verifier" && echo 1 > "$LOGS_DIR/verifier/reward.txt"'));
      expect(await sandbox.list(`${sandbox.paths.logs}/verifier`)).toEqual(['reward.txt']);
      expect((await sandbox.getFile(`${sandbox.paths.logs}/verifier/reward.txt`, 10))?.toString()).toBe('1\n');
    });
  });
}
