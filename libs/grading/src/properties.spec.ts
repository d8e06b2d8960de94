import fc from 'fast-check';
import { gradeLog, LogParserError, PARSER_NAMES, parserNamed, type GradeLogInput } from './index';

const parser = fc.constantFrom(...PARSER_NAMES);
const piece = fc.constantFrom(
  ...'PASSED |FAILED |SKIPPED |ERROR: |XFAIL | ... ok| ... | FAIL:|ok|test_|.py:|_| - |[|]|[31m|\r|\n|\x1b|\x85|\ufeff'.split(
    '|',
  ),
);
const noise = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.oneof(piece, fc.string()), { maxLength: 60 }).map((parts) => parts.join('')),
);

/** Null where the official parser raises too. */
function parsed(name: string, log: string): Map<string, string> | null {
  try {
    return parserNamed(name)(log);
  } catch (error) {
    if (error instanceof LogParserError) return null;
    throw error;
  }
}

test('a parser takes any text, and raises only on a django heading without a test', () => {
  fc.assert(
    fc.property(parser, noise, (name, log) => {
      if (parsed(name, log) !== null) return;
      expect(name).toBe('parse_log_django');
      expect(log).toMatch(/(FAIL|ERROR):/);
    }),
    { numRuns: 3_000 },
  );
});

test('a parser takes any bytes that were decoded', () => {
  fc.assert(
    fc.property(parser, fc.uint8Array({ maxLength: 400 }), (name, bytes) => {
      const map = parsed(name, Buffer.from(bytes).toString('utf8'));
      for (const [id, status] of map ?? []) expect([typeof id, typeof status]).toEqual(['string', 'string']);
    }),
    { numRuns: 1_000 },
  );
});

const id = fc.stringMatching(/^[a-z0-9]{1,6}(::[a-z]{1,4})?$/);
const outcomes = fc.uniqueArray(fc.tuple(id, fc.constantFrom('PASSED', 'FAILED', 'SKIPPED', 'ERROR', 'XFAIL')), {
  selector: ([name]) => name,
  minLength: 1,
  maxLength: 20,
});

test('statuses keep the order of the log', () => {
  fc.assert(
    fc.property(outcomes, (tests) => {
      const log = tests.map(([name, status]) => `${status} ${name}`).join('\n');
      expect([...parserNamed('parse_log_pytest')(log)]).toEqual(tests);
    }),
  );
});

const RANK = ['RESOLVED_NO', 'RESOLVED_PARTIAL', 'RESOLVED_FULL'] as const;

function rank(input: GradeLogInput): number {
  const { resolution } = gradeLog(input);
  return resolution === null ? -1 : RANK.indexOf(resolution);
}

test('a verdict never improves when a passed test is removed from the log', () => {
  const cases = outcomes.chain((tests) =>
    fc.tuple(
      fc.constant(tests),
      fc.nat(tests.length - 1),
      fc.subarray(tests.map(([name]) => name)),
      fc.constantFrom(0, 1),
    ),
  );
  fc.assert(
    fc.property(cases, ([tests, removed, fixed, exitCode]) => {
      fc.pre(tests[removed]?.[1] === 'PASSED');
      const input = (kept: typeof tests): GradeLogInput => ({
        log: [
          '>>>>> Start Test Output',
          ...kept.map(([name, status]) => `${status} ${name}`),
          '>>>>> End Test Output',
          `>>>>> Test Exit Code: ${exitCode}`,
        ].join('\n'),
        FAIL_TO_PASS: fixed,
        PASS_TO_PASS: tests.map(([name]) => name).filter((name) => !fixed.includes(name)),
        log_parser: 'parse_log_pytest',
        eval_type: 'pass_and_fail',
      });
      expect(rank(input(tests.toSpliced(removed, 1)))).toBeLessThanOrEqual(rank(input(tests)));
    }),
    { numRuns: 2_000 },
  );
});

test('the same log grades the same, whatever its line ends', () => {
  fc.assert(
    fc.property(noise, fc.constantFrom('\r\n', '\r'), (log, end) => {
      const input = {
        FAIL_TO_PASS: ['a'],
        PASS_TO_PASS: [],
        log_parser: 'parse_log_pytest',
        eval_type: 'pass_and_fail',
      } as const;
      const unix = log.replace(/\r\n?/g, '\n');
      expect(gradeLog({ ...input, log: unix.replaceAll('\n', end) })).toEqual(gradeLog({ ...input, log: unix }));
    }),
  );
});
