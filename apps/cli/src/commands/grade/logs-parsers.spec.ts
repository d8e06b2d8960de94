import { withTempDir } from '@assay/testing';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ExitError, UsageError } from '../../output';
import { assayProgram } from '../../program';

const LOG = '>>>>> Start Test Output\nPASSED a\nPASSED b\n>>>>> End Test Output\n>>>>> Test Exit Code: 0\n';
const row = (change: Record<string, unknown> = {}) => ({
  instance_id: 'x__y-1',
  log: LOG,
  FAIL_TO_PASS: ['a'],
  PASS_TO_PASS: ['b'],
  log_parser: 'parse_log_pytest',
  eval_type: 'pass_and_fail',
  ...change,
});
const jsonl = (...lines: readonly (object | string)[]): string =>
  lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');

interface Outcome {
  readonly lines: Record<string, unknown>[];
  readonly raw: string;
  readonly error: unknown;
}

/** Runs the command as it is typed, over a file with this content. */
async function assayGrade(
  what: 'logs' | 'parsers',
  content: string | Buffer,
  options: readonly string[] = [],
): Promise<Outcome> {
  return withTempDir(async (dir) => {
    const [input, output] = [join(dir, 'in.jsonl'), join(dir, 'out.jsonl')];
    await writeFile(input, content);
    const error = await typed('grade', what, '--in', input, '--out', output, ...options);
    const raw = await readFile(output, 'utf8');
    const lines = raw.split('\n').filter((line) => line !== '');
    return { lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>), raw, error };
  });
}

/** What the command threw; null when it ended well. */
async function typed(...args: string[]): Promise<unknown> {
  const program = assayProgram().configureOutput({ writeErr: () => undefined });
  return program.parseAsync(args, { from: 'user' }).then(
    () => null,
    (error: unknown) => error,
  );
}

describe('assay grade logs', () => {
  test('answers each line by one line, keys and statuses in order', async () => {
    const { raw, error } = await assayGrade('logs', jsonl(row(), row({ instance_id: '2', log: 'nothing' })));
    expect(error).toBeNull();
    const report = {
      patch_is_None: false,
      patch_exists: true,
      patch_successfully_applied: true,
      resolved: true,
      infra_failure: false,
      tests_status: {
        FAIL_TO_PASS: { success: ['a'], failure: [] },
        PASS_TO_PASS: { success: ['b'], failure: [] },
        FAIL_TO_FAIL: { success: [], failure: [] },
        PASS_TO_FAIL: { success: [], failure: [] },
      },
    };
    const { tests_status, ...notFound } = { ...report, patch_successfully_applied: false, resolved: false };
    expect(tests_status).toBeDefined();
    expect(raw).toBe(
      jsonl(
        {
          instance_id: 'x__y-1',
          found: true,
          resolution: 'RESOLVED_FULL',
          status_map: [
            ['a', 'PASSED'],
            ['b', 'PASSED'],
          ],
          report,
          suspicions: [],
        },
        { instance_id: '2', found: false, resolution: null, status_map: [], report: notFound, suspicions: [] },
      ),
    );
  });

  test('reads lists that are written as strings, and a patch that is there, absent or null', async () => {
    const { lines } = await assayGrade(
      'logs',
      jsonl(
        row({ FAIL_TO_PASS: '["a"]', PASS_TO_PASS: '["b", "c"]' }),
        row({ model_patch: null }),
        row({ model_patch: 'diff --git a/conftest.py b/conftest.py\n' }),
      ),
    );
    expect(lines).toMatchObject([
      { resolution: 'RESOLVED_NO', suspicions: [] },
      { resolution: null, report: { patch_is_None: true } },
      { resolution: 'RESOLVED_FULL', suspicions: ['test_configuration_in_patch'] },
    ]);
  });

  test('names what is wrong with a line by its number, goes on, and ends with 1', async () => {
    const { lines, error } = await assayGrade(
      'logs',
      jsonl(
        row(),
        '{"instance_id": ',
        '[1]',
        row({ log: 5, FAIL_TO_PASS: 'a' }),
        '',
        row({ log_parser: 'parse_log_cobol' }),
        row({ eval_type: undefined, model_patch: 1 }),
        row({ log_parser: 'parse_log_django', log: LOG.replace('PASSED a', 'FAIL:') }),
        row(),
      ),
    );
    expect(lines.map(({ line, error }) => [line, error])).toEqual([
      [undefined, undefined],
      [2, expect.stringMatching(/^\(line\): expected JSON, got "\{\\"instance_id\\": " \(Unexpected end/)],
      [3, expect.stringMatching(/^\(body\): .*expected object, received array, got \[1\]$/)],
      [
        4,
        'log: expected a string, got 5; ' +
          'FAIL_TO_PASS: expected a list of strings, or a string that holds one as JSON, got "a"',
      ],
      [6, expect.stringMatching(/^log_parser: expected one of parse_log_pytest, .*, got "parse_log_cobol"$/)],
      [
        7,
        'eval_type: expected one of pass_and_fail, fail_only, got nothing; model_patch: expected a string or null, got 1',
      ],
      [8, 'log: expected one that the official parser reads, it raises: "FAIL:" names no test'],
      [undefined, undefined],
    ]);
    expect(error).toBeInstanceOf(ExitError);
    expect(error).toMatchObject({
      code: 1,
      message: expect.stringMatching(/^2 logs graded, 6 lines with an error; the first: line 2: \(line\): /) as string,
    });
  });

  test('takes what Python takes: lone surrogates, NUL, odd names; and bytes that are no UTF-8 only in their line', async () => {
    const odd = row({
      log: LOG.replace('PASSED b', 'PASSED \ud800\u0000\nPASSED __proto__\nPASSED 7\nPASSED 3'),
      FAIL_TO_PASS: ['\ud800\u0000'],
      PASS_TO_PASS: [],
    });
    const bytes = Buffer.concat([
      Buffer.from('\ufeff' + jsonl(odd).replace('\n', '\r\n')),
      Buffer.from('{"instance_id": "\xff"}\n', 'latin1'),
      Buffer.from(jsonl(odd).trimEnd()),
    ]);
    const { lines, raw } = await assayGrade('logs', bytes);
    const statuses = ['a', '\ud800\u0000', '__proto__', '7', '3'].map((id) => [id, 'PASSED']);
    expect(lines[0]).toMatchObject({ resolution: 'RESOLVED_FULL', status_map: statuses });
    expect(lines[1]).toEqual({
      line: 2,
      error: '(line): expected UTF-8, got other bytes in "{\\"instance_id\\": \\"\ufffd\\"}"',
    });
    expect(lines[2]).toEqual(lines[0]);
    expect(raw).toContain('["\\ud800\\u0000","PASSED"]');
  });

  test('grades by older rules', async () => {
    const skipped = row({ log: LOG.replace('PASSED a', 'SKIPPED a') });
    const { lines } = await assayGrade('logs', jsonl(skipped), ['--rules', 'swebench-4.1.0']);
    expect(lines[0]).toMatchObject({ resolution: 'RESOLVED_FULL', report: { resolved: true } });
    expect(lines[0]?.['report']).not.toHaveProperty('infra_failure');
    const wrong = await typed('grade', 'logs', '--in', 'a', '--out', 'b', '--rules', 'swebench-3');
    expect(wrong).toMatchObject({ code: 'commander.invalidArgument' });
  });

  test('unpacks gzip whatever the name, of several members too, and tells where it breaks off', async () => {
    const packed = Buffer.concat([gzipSync(jsonl(row())), gzipSync(jsonl(row(), row()))]);
    expect((await assayGrade('logs', packed)).lines).toHaveLength(3);
    const { lines, error } = await assayGrade('logs', packed.subarray(0, -9));
    expect(lines.at(-1)).toMatchObject({
      error: expect.stringMatching(/^cannot read .*: unexpected end of file$/) as string,
    });
    expect(error).toMatchObject({ code: 1 });
  });

  test('takes no more memory for more lines', async () => {
    const member = gzipSync(jsonl(...Array.from({ length: 10 }, () => row({ log: LOG + 'output\n'.repeat(20_000) }))));
    const packed = Buffer.concat(Array.from({ length: 300 }, () => member));
    const before = process.resourceUsage().maxRSS;
    const { lines } = await assayGrade('logs', packed);
    expect(lines).toHaveLength(3_000);
    // 450 MB of input.
    expect((process.resourceUsage().maxRSS - before) / 1024).toBeLessThan(200);
  });
});

describe('files', () => {
  const inDir = (body: (dir: string, input: string) => Promise<void>): Promise<void> =>
    withTempDir(async (dir) => {
      const input = join(dir, 'in.jsonl');
      await writeFile(input, jsonl(row()));
      await body(dir, input);
    });

  test('that are one and the same are refused before anything is written', async () => {
    await inDir(async (dir, input) => {
      await symlink(input, join(dir, 'link'));
      for (const output of [input, join(dir, 'link')]) {
        const error = await typed('grade', 'logs', '--in', input, '--out', output);
        expect(error).toEqual(new UsageError(`--out: expected another file than --in, got ${output} for both`));
      }
      expect(await readFile(input, 'utf8')).toBe(jsonl(row()));
    });
  });

  test('that are not there, or are folders, are named', async () => {
    await inDir(async (dir, input) => {
      await mkdir(join(dir, 'folder'));
      const messages = await Promise.all([
        typed('grade', 'logs', '--in', join(dir, 'no'), '--out', join(dir, 'out')),
        typed('grade', 'logs', '--in', join(dir, 'folder'), '--out', join(dir, 'out')),
        typed('grade', 'parsers', '--in', input, '--out', join(dir, 'folder')),
        typed('grade', 'parsers', '--in', input, '--out', join(dir, 'no/out')),
      ]);
      expect(messages.map(String)).toEqual([
        expect.stringMatching(/^UsageError: --in: expected a file, but .*no is not there$/),
        expect.stringMatching(/^UsageError: --in: expected a file, but .*folder is a folder$/),
        expect.stringMatching(/^UsageError: --out: expected a file that can be written, but .*folder is a folder$/),
        expect.stringMatching(/^UsageError: --out: expected .* but .*no\/out is in a folder that is not there$/),
      ]);
    });
  });

  test('that cannot be written to the end fail the command in one line', async () => {
    await inDir(async (_, input) => {
      const error = await typed('grade', 'logs', '--in', input, '--out', '/dev/full');
      expect(error).toEqual(new ExitError(1, 'cannot write /dev/full: ENOSPC: no space left on device, write'));
    });
  });
});

describe('assay grade parsers', () => {
  test('answers each line by the statuses in order, and reads line ends as they are', async () => {
    const lines = [
      { parser: 'parse_log_pytest', log: 'PASSED b\nFAILED a - x\nPASSED c\r\nPASSED d\rPASSED e' },
      { parser: 'parse_log_django', log: 'ERROR:' },
      { parser: 'parse_log_none', log: '' },
      { parser: 'parse_log_sympy', log: '' },
    ];
    const { raw, error } = await assayGrade('parsers', jsonl(...lines));
    const [first, second, third, fourth] = raw.split('\n');
    expect(first).toBe('{"map":[["b","PASSED"],["a","FAILED"],["c","PASSED"],["d","PASSED"]]}');
    expect(second).toBe(
      '{"line":2,"error":"log: expected one that the official parser reads, it raises: \\"ERROR:\\" names no test"}',
    );
    expect(third).toMatch(
      /^\{"line":3,"error":"parser: expected one of parse_log_pytest, .*, got \\"parse_log_none\\""\}$/,
    );
    expect(fourth).toBe('{"map":[]}');
    expect(error).toMatchObject({ code: 1 });
  });
});
