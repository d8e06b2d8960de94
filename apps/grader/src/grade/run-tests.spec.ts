import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecResult } from '@assay/sandbox';
import { scriptedSandbox } from '../harness/scripted-sandbox';
import { GradeLog } from './grade-log';
import { runTests } from './run-tests';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-run-tests-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function run(result: Partial<ExecResult>, printed = '', maxBytes = 100) {
  const log = new GradeLog(join(dir, 'log'), maxBytes);
  const sandbox = scriptedSandbox((_command, { onOutput }) => {
    onOutput?.(Buffer.from(printed));
    return result;
  });
  const request = { sandbox, log, patch: Buffer.alloc(0), dir, signal: new AbortController().signal };
  try {
    return await runTests(request, { command: ['tests'], timeoutSeconds: 5 });
  } finally {
    log.close();
  }
}

test('tests that ended have their exit code, whatever it is', async () => {
  expect((await run({ exitCode: 7 }, 'some words')).exitCode).toBe(7);
});

test.each<[string, Partial<ExecResult>, object]>([
  ['took too long', { exitCode: null, timedOut: true }, { blame: 'task', code: 'tests_timed_out' }],
  ['were killed from outside', { exitCode: null }, { blame: 'infra', code: 'tests_killed' }],
  ['were killed for memory', { exitCode: null, outOfMemory: true }, { blame: 'infra', code: 'tests_out_of_memory' }],
])('tests that %s have no verdict', async (_name, result, failure) => {
  await expect(run(result)).rejects.toMatchObject(failure);
});

test('tests that print without end are the fault of the task, however they ended, and the log keeps what fits', async () => {
  const printing = run({ exitCode: null }, 'x'.repeat(101));
  await expect(printing).rejects.toMatchObject({ blame: 'task', code: 'log_too_large', details: { maxBytes: 100 } });
});
