import { PublicResult } from '@assay/contracts';
import { PROJECT_ROOT } from '@assay/testing';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assay } from '../harness/command-line';
import { scratchFolder } from '../harness/deployment';

const EXPECTED_ERRORS = 2;

function processesUnder(dir: string): string[] {
  const all = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' }).split('\n');
  return all.filter((line) => line.includes(dir) && !line.includes('ps -eo'));
}

describe('the demo, as a newcomer runs it', () => {
  let scratch: Awaited<ReturnType<typeof scratchFolder>>;
  let first: ReturnType<typeof assay>;
  let result: PublicResult;

  beforeAll(async () => {
    scratch = await scratchFolder();
    const file = join(scratch.dir, 'result.json');
    const state = join(scratch.dir, 'state');
    first = assay('up', '--once', '--sandbox', 'process', '--port', '0', '--state-dir', state, '--json', file);
    if (first.status !== 0) throw new Error(`exit ${String(first.status)}\n${first.stdout}\n${first.stderr}`);
    result = PublicResult.parse(JSON.parse(readFileSync(file, 'utf8')));
  }, 180_000);
  afterAll(() => scratch.remove());

  test('ends by itself with exit 0 and leaves no process behind', () => {
    expect(first.status).toBe(0);
    expect(processesUnder(scratch.dir)).toEqual([]);
  });

  test('brings the eight instances to the states that were expected of them', () => {
    expect(result.instances).toHaveLength(8);
    expect(result.counts).toEqual({
      total: 8,
      resolved: 5,
      unresolved: 1,
      executionError: EXPECTED_ERRORS,
      infraFailed: 0,
      cancelled: 0,
    });
    const failures = result.instances.flatMap(({ failure }) => (failure === null ? [] : [failure]));
    expect(failures.sort()).toEqual(['agent_malformed', 'tests_timed_out']);
  });

  test('says what the release says: counts, and that they are no score', () => {
    expect(first.stdout).toContain('5 / 8, not a benchmark score');
    expect(result.score).toBeNull();
  });

  test('leaves everything outside the markers as the maintainer wrote it', () => {
    const state = readFileSync(join(scratch.dir, 'state/github-standin.json'), 'utf8');
    const body = /"body":"((?:[^"\\]|\\.)*)"/.exec(state)?.[1] ?? '';
    const text = JSON.parse(`"${body}"`) as string;
    expect(text.startsWith('## What is new\r\n\r\n- Reads the failing test')).toBe(true);
    expect(text.split('<!-- assay:')[0]?.trimEnd().endsWith('Thanks to everybody who sent issues.')).toBe(true);
  });

  test('a second start, with TLS, reuses what the first left, and replaces the block instead of adding one', () => {
    const state = join(scratch.dir, 'state');
    const again = assay(
      'up',
      '--once',
      '--sandbox',
      'process',
      '--port',
      '0',
      '--state-dir',
      state,
      '--agent',
      'oracle',
      '--tls',
    );
    expect([again.status, again.stderr]).toEqual([0, expect.anything()]);
    expect(again.stdout).toMatch(/^API +https:\/\/127\.0\.0\.1:\d+\/docs$/m);
    expect(again.stdout).toMatch(new RegExp(`^trusted +${state}/tls/cert\\.pem$`, 'm'));
    expect(existsSync(join(state, 'address'))).toBe(false);
    expect(again.stdout).toContain('8 / 8, not a benchmark score');
    const kept = readFileSync(join(state, 'github-standin.json'), 'utf8');
    expect(kept.match(/<!-- assay:[^>]*:start -->/g)).toHaveLength(1);
  }, 180_000);
});

describe('a start that cannot work', () => {
  let scratch: Awaited<ReturnType<typeof scratchFolder>>;
  beforeAll(async () => {
    scratch = await scratchFolder();
  });
  afterAll(() => scratch.remove());

  test('a suite file that is not there is named', () => {
    const { status, stderr } = assay('up', '--suite', '/nowhere/x.yaml');
    expect(status).toBe(2);
    expect(stderr).toBe('--suite: expected a suite file, but /nowhere/x.yaml is not there\n');
  });

  test('a NATS or PostgreSQL that does not answer ends everything with one line', () => {
    const { status, stdout, stderr } = spawnUp({ DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' });
    expect(status).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(/127\.0\.0\.1:9/);
    expect(stdout).not.toContain('submitted');
    expect(processesUnder(scratch.dir)).toEqual([]);
  }, 120_000);

  test('an unknown agent is refused with the known ones, and nothing stays behind', () => {
    const { status, stderr } = spawnUp({}, '--agent', 'ghost');
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/ghost/);
    expect(stderr).toMatch(/oracle/);
    expect(processesUnder(scratch.dir)).toEqual([]);
  }, 120_000);

  function spawnUp(
    env: Record<string, string>,
    ...more: string[]
  ): { status: number | null; stdout: string; stderr: string } {
    return spawnSync(
      process.execPath,
      [
        join(PROJECT_ROOT, 'apps/cli/bin/assay.js'),
        ...['up', '--once', '--sandbox', 'process', '--port', '0', '--state-dir', join(scratch.dir, 'state')],
        ...more,
      ],
      {
        encoding: 'utf8',
        env: {
          PATH: process.env['PATH'],
          HOME: process.env['HOME'],
          ASSAY_NATS_SERVER: process.env['ASSAY_NATS_SERVER'],
          ...env,
        },
        timeout: 110_000,
      },
    );
  }
});
