import { Failure, type Phase } from '@assay/contracts';
import fc from 'fast-check';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { AgentError, classify, ContractError, type FailureCode, InfraError, TaskError } from './index';

const system = (code: string, extra: Record<string, unknown> = {}): Error =>
  Object.assign(new Error(`${code}: something`), { code, ...extra });

describe('an error with blame', () => {
  const cases: [Error & { toFailure(): Failure }, string][] = [
    [new InfraError('the image did not build', { code: 'image_build_failed', phase: 'prepare' }), 'infra'],
    [new AgentError('the agent crashed', { code: 'agent_crashed', phase: 'agent' }), 'agent'],
    [new TaskError('the patch does not apply', { code: 'patch_apply_failed', phase: 'grade' }), 'task'],
    [new ContractError('no such digest', { code: 'artifact_missing', phase: 'upload' }), 'contract'],
  ];

  test.each(cases.map(([error, blame]) => [blame, error] as const))(
    'keeps its own failure, whatever phase the catcher is in (%s)',
    (blame, error) => {
      expect(classify(error, 'publish')).toEqual({ ...error.toFailure(), blame, details: {} });
    },
  );

  test('keeps its details, and the chain of its causes beside them', () => {
    const cause = new Error('outer', { cause: system('EPIPE') });
    const error = new InfraError('upload broke', { code: 'artifact_io', phase: 'upload', details: { n: 1 }, cause });
    expect(classify(error, 'grade').details).toEqual({
      n: 1,
      causes: [
        { name: 'Error', message: 'outer' },
        { name: 'Error', message: 'EPIPE: something', code: 'EPIPE' },
      ],
    });
  });

  test('keeps its blame even when its code breaks the schema', () => {
    const error = new AgentError('boom', { code: 'Not A Code' as string as FailureCode, phase: 'agent' });
    expect(classify(error, 'agent')).toMatchObject({ blame: 'agent', code: 'unknown', message: 'boom' });
  });

  test('loses from its details only what JSON cannot hold', () => {
    const ring: Record<string, unknown> = { name: 'ring', size: 12n };
    ring['self'] = ring;
    const same = { a: 1 };
    const error = new InfraError('x', { code: 'git_failed', phase: 'grade', details: { ring, one: same, two: same } });
    expect(classify(error, 'grade').details).toEqual({ ring: { name: 'ring', size: '12' }, one: same, two: same });
  });

  test('is not believed when it is only the cause of something else: that is our fault', () => {
    const cause = new AgentError('crash', { code: 'agent_crashed', phase: 'agent' });
    expect(classify(new Error('wrapped', { cause }), 'agent')).toMatchObject({ blame: 'infra', code: 'unknown' });
  });
});

describe('a system error is our fault under a telling code', () => {
  const cases: [Error, string][] = [
    [system('ENOSPC'), 'disk_full'],
    [system('EDQUOT'), 'disk_full'],
    [new Error('(HTTP code 500) server error - write /var/lib/x: no space left on device'), 'disk_full'],
    [system('EROFS'), 'disk_read_only'],
    [system('EIO'), 'disk_error'],
    [system('EAGAIN'), 'too_many_processes'],
    [system('EADDRINUSE'), 'port_taken'],
    [system('53300'), 'too_many_connections'],
    [system('ENOMEM'), 'out_of_memory'],
    [system('EMFILE'), 'too_many_open_files'],
    [system('EACCES'), 'permission_denied'],
    [system('ENOENT', { syscall: 'open' }), 'file_missing'],
    [system('ENOENT', { syscall: 'spawn git' }), 'program_missing'],
    [system('ENOENT', { syscall: 'connect' }), 'engine_unavailable'],
    [system('ECONNREFUSED'), 'connection_refused'],
    [system('ECONNRESET'), 'connection_lost'],
    [system('ETIMEDOUT'), 'timed_out'],
    [system('EAI_AGAIN'), 'name_not_resolved'],
    [system('57P01'), 'database_unavailable'],
    [system('53100'), 'disk_full'],
    [system('40P01'), 'database_conflict'],
    [new DOMException('stopped', 'AbortError'), 'aborted'],
    [new DOMException('too late', 'TimeoutError'), 'timed_out'],
    [new TypeError('fetch failed', { cause: system('ECONNREFUSED') }), 'connection_refused'],
    [new AggregateError([system('ECONNREFUSED'), system('ENETUNREACH')], 'all'), 'connection_refused'],
    [system('23505'), 'unknown'],
  ];

  test.each(cases.map(([error, code]) => [error.message, code, error] as const))('%s: %s', (_message, code, error) => {
    const failure = classify(error, 'prepare');
    expect(failure).toMatchObject({ blame: 'infra', code, phase: 'prepare' });
    expect(Failure.parse(failure)).toEqual(failure);
  });

  test('as Node really throws it: a missing file, a missing program, a dead socket, a closed port', async () => {
    const file = await readFile('/nowhere/at/all').catch((error: unknown) => error);
    expect(classify(file, 'upload').code).toBe('file_missing');

    const [program] = (await once(spawn('/nowhere/git'), 'error')) as unknown[];
    expect(classify(program, 'prepare').code).toBe('program_missing');

    const engine = request({ socketPath: '/nowhere/docker.sock', path: '/_ping' });
    engine.end();
    const [dead] = (await once(engine, 'error')) as unknown[];
    expect(classify(dead, 'prepare').code).toBe('engine_unavailable');

    const [closed] = (await once(connect(1, '127.0.0.1'), 'error')) as unknown[];
    expect(classify(closed, 'publish').code).toBe('connection_refused');

    const url = await fetch('http://127.0.0.1:1/').catch((error: unknown) => error);
    // undici refuses port 1 itself: an error of no system code stays unknown, and keeps what was said.
    const unknown = classify(url, 'publish');
    expect(unknown.code).toBe('unknown');
    expect(unknown.message).toContain('bad port');
  });
});

describe('everything else', () => {
  test('is ours, `unknown`, with name, message and causes', () => {
    const error = new RangeError('bad', { cause: new SyntaxError('worse', { cause: 'a string' }) });
    expect(classify(error, 'extract')).toEqual({
      blame: 'infra',
      code: 'unknown',
      message: 'bad: worse: a string',
      phase: 'extract',
      details: {
        causes: [
          { name: 'RangeError', message: 'bad' },
          { name: 'SyntaxError', message: 'worse' },
          { name: 'string', message: 'a string' },
        ],
      },
    });
  });

  test('carries no credentials', () => {
    const error = new Error('connect postgres://assay:s3cret@db:5432/x with Bearer abcdefghijkl failed');
    const failure = classify(error, 'dispatch');
    expect(failure.message).toBe('connect postgres://***@db:5432/x with Bearer *** failed');
    expect(JSON.stringify(failure)).not.toMatch(/s3cret|abcdefghijkl/);
  });

  test('ends on a chain that is a ring', () => {
    const error = new Error('ring');
    error.cause = error;
    expect(classify(error, 'lease').message).toBe('ring');
  });

  test.each([
    ['undefined', undefined],
    ['null', null],
    ['an empty object', {}],
    ['a symbol', Symbol('s')],
    ['an object without prototype', Object.create(null)],
    [
      'an object whose getters throw',
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('no');
          },
        },
      ),
    ],
  ])('never throws: %s', (_name, thrown) => {
    const failure = classify(thrown, 'grade');
    expect(failure).toMatchObject({ blame: 'infra', code: 'unknown', phase: 'grade' });
    expect(failure.message).not.toBe('');
  });

  test('whatever is thrown, the answer fits the schema and blames nobody else', () => {
    const phases: Phase[] = ['dispatch', 'prepare', 'agent', 'extract', 'upload', 'grade', 'publish', 'lease'];
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withNullPrototype: true }),
        fc.constantFrom(...phases),
        (thrown, phase) => {
          const failure = classify(thrown, phase);
          expect(Failure.parse(failure)).toEqual(failure);
          expect(failure.blame).toBe('infra');
          expect(failure.phase).toBe(phase);
        },
      ),
    );
  });

  test('a message longer than the schema takes is cut, not refused', () => {
    const error = new InfraError('x'.repeat(10_000), { code: 'git_failed', phase: 'grade' });
    expect(classify(error, 'grade').message).toHaveLength(4000);
  });
});
