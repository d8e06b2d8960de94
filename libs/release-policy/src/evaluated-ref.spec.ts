import { published } from './testdata/shipped-gate';

describe("the line in a prerelease's notes", () => {
  const ref = (body: string) => {
    const decision = published('dsw-eas-full-1', { prerelease: true, body });
    return decision.decision === 'run' ? decision.plan.evaluatedRef : null;
  };

  test.each([
    ['alone', 'Benchmark-Qwen-Ref: v0.21.14', 'v0.21.14'],
    ['without a v', 'Benchmark-Qwen-Ref: 0.21.14', '0.21.14'],
    ['of a nightly', 'Benchmark-Qwen-Ref: v0.20.0-nightly.20260722.b98306b7e', 'v0.20.0-nightly.20260722.b98306b7e'],
    ['twice: the first counts', 'Benchmark-Qwen-Ref: v0.1.1\nBenchmark-Qwen-Ref: v0.2.2', 'v0.1.1'],
    ['twice, the first malformed', 'Benchmark-Qwen-Ref: main\nBenchmark-Qwen-Ref: v0.2.2', 'v0.2.2'],
    ['in the midst of others', 'Notes\n\nBenchmark-Qwen-Ref: v0.2.2\nMore', 'v0.2.2'],
    ['that ends in CRLF', 'Notes\r\nBenchmark-Qwen-Ref: v0.2.2\r\nMore', 'v0.2.2'],
    ['with trailing spaces', 'Benchmark-Qwen-Ref: v0.2.2 \t ', 'v0.2.2'],
    ['without a space', 'Benchmark-Qwen-Ref:v0.2.2', 'v0.2.2'],
    ['with tabs', 'Benchmark-Qwen-Ref:\t\tv0.2.2', 'v0.2.2'],
  ])('%s', (_, body, expected) => {
    expect(ref(body)).toBe(expected);
  });

  test.each([
    ['in lower case', 'benchmark-qwen-ref: v0.2.2'],
    ['indented', ' Benchmark-Qwen-Ref: v0.2.2'],
    ['in a list', '- Benchmark-Qwen-Ref: v0.2.2'],
    ['with more behind it', 'Benchmark-Qwen-Ref: v0.2.2 please'],
    ['of two parts', 'Benchmark-Qwen-Ref: v0.2'],
    ['of a branch', 'Benchmark-Qwen-Ref: main'],
    ['with a path', 'Benchmark-Qwen-Ref: v0.2.2-../../x'],
    ['with two dots', 'Benchmark-Qwen-Ref: v0.2.2-a..b'],
    ['twice, the first with two dots', 'Benchmark-Qwen-Ref: v0.2.2-a..b\nBenchmark-Qwen-Ref: v0.3.3'],
    ['with a no-break space', 'Benchmark-Qwen-Ref:\u00a0v0.2.2'],
    ['in a line that ends in CR alone', 'x\rBenchmark-Qwen-Ref: v0.2.2'],
    ['empty', 'Benchmark-Qwen-Ref:'],
    ['of no notes', ''],
  ])('is none %s', (_, body) => {
    expect(ref(body)).toBeNull();
  });

  test('is found at once at the end of the longest notes', () => {
    expect(ref(`${'Benchmark-Qwen-Ref: v0.2.2-x y\n'.repeat(4000)}Benchmark-Qwen-Ref: v0.3.3`)).toBe('v0.3.3');
  });
});
