import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeNeeding, PROJECT_ROOT } from '@assay/testing';
import { inside } from '../harness/agent-bench';
import { whyNotHere } from '../availability';
import { ConformanceBench } from './conformance-bench';

// What `npm start -- --agent qwen-code` does, without the services: the real program on the demo's tasks, with the demo's
// transcripts, graded by the tasks' own hidden tests.

jest.setTimeout(300_000);

const EXAMPLES = join(PROJECT_ROOT, 'examples');

describeNeeding(whyNotHere('qwen-code'), 'qwen-code on the tasks of the demo', () => {
  let bench: ConformanceBench;
  beforeAll(async () => {
    bench = await ConformanceBench.open(join(EXAMPLES, 'transcripts'));
    await bench.layer('qwen-code');
  });
  afterAll(() => bench.close());

  test.each(['csv-quotes', 'retry-backoff', 'slug-accents'])('resolves %s by its tools', async (task) => {
    const dir = join(EXAMPLES, 'tasks', task);
    const of = {
      environmentDir: join(dir, 'environment'),
      instruction: await readFile(join(dir, 'instruction.md'), 'utf8'),
    };
    const { report, sandbox } = await bench.run({ agent: 'qwen-code', task, seconds: 90, of });
    expect(report).toMatchObject({ limit: null, crash: null });
    const called = report.steps.flatMap(({ toolCalls = [] }) => toolCalls.map(({ name }) => name));
    expect(new Set(called)).toEqual(new Set(['read_file', 'write_file', 'run_shell_command']));
    const results = report.steps.flatMap(({ observations = [] }) => observations);
    expect(results.filter(({ failed }) => failed === true)).toEqual([]);
    await sandbox.putFolder(join(dir, 'tests'), sandbox.paths.tests);
    expect(
      await inside(sandbox, 'bash "$TESTS_DIR/test.sh" >/dev/null 2>&1; cat "$LOGS_DIR/verifier/reward.txt"'),
    ).toBe('1\n');
  });
});
