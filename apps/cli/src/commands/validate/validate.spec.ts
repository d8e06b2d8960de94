import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeWithData, PROJECT_ROOT, sharedData, withTempDir, writeTask } from '@assay/testing';
import { ExitError, UsageError } from '../../output';
import { assayProgram } from '../../program';

const SUITE =
  'schema: assay.suite/1\nname: mine\ntitle: SWE-bench Verified\ndataset: { name: d, revision: "1" }\n' +
  'source: { kind: harbor, path: tasks }\npublish: counts\nerrorThreshold: 1\nagent: { name: nop }\n';

/** What the command prints, and what it ends with. */
async function validate(...args: string[]): Promise<{ out: string; end: unknown }> {
  let out = '';
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  try {
    await assayProgram().parseAsync(['validate', ...args], { from: 'user' });
    return { out, end: null };
  } catch (end) {
    return { out, end };
  } finally {
    write.mockRestore();
  }
}

const withSuite = (work: (file: string, dir: string) => Promise<void>, text = SUITE) =>
  withTempDir(async (dir) => {
    for (const name of ['a', 'b', 'c']) await writeTask(join(dir, 'tasks', name));
    const file = join(dir, 'mine.yaml');
    await writeFile(file, text);
    await work(file, dir);
  });

const refusal = (code: number, message: unknown) => expect.objectContaining({ code, message }) as ExitError;

test('a suite that holds is told with its instances', () =>
  withSuite(async (file) => {
    expect(await validate(file)).toEqual({
      out: 'mine: valid, 3 instances, all images have a digest; benchmark, publishes counts\n',
      end: null,
    });
  }));

test('every problem of every file is told at once, each with file, line and column; the exit code is 2', () =>
  withSuite(
    async (file, dir) => {
      const other = join(dir, 'other.yaml');
      await writeFile(other, SUITE.replace('publish: counts', 'publish: all'));
      const { end } = await validate(file, other);
      expect(end).toBeInstanceOf(ExitError);
      expect(end).toEqual(
        refusal(
          2,
          `${file}:7:17 errorThreshold: expected more than 0, got 0\n` +
            `${file}:9:1 thing: no such key, got 1\n` +
            `${other}:6:10 publish: expected "none" or "counts" or "score", got "all"`,
        ),
      );
    },
    `${SUITE.replace('errorThreshold: 1', 'errorThreshold: 0')}thing: 1\n`,
  ));

test('tasks are read, too', () =>
  withSuite(async (file, dir) => {
    await writeTask(join(dir, 'tasks/b'), { 'task.toml': 'agent = 1' });
    const { end } = await validate(file);
    expect(end).toEqual(refusal(2, expect.stringContaining(`${join(dir, 'tasks/b/task.toml')}:1`)));
  }));

test('the list of instances is written as the pool takes it', () =>
  withSuite(async (file, dir) => {
    const list = join(dir, 'manifest.json');
    expect((await validate(file, '--limit', '2', '--manifest', list)).end).toBeNull();
    expect(JSON.parse(await readFile(list, 'utf8'))).toEqual({
      dataset: 'd',
      dataset_revision: '1',
      expected_instances: 2,
      instance_ids: ['a', 'b'],
    });
  }));

test.each([
  [['--limit', '4'], 'Requested 4 instances, found 3'],
  [['--limit', '0'], 'INSTANCE_LIMIT must be between 1 and 3'],
  [['--limit', '-1'], 'INSTANCE_LIMIT must be between 1 and 3'],
  [['--limit', '2', '--instance-id', 'a'], '--instance-id requires --limit 1'],
  [['--instance-id', 'x__x-1'], 'Unknown SWE-bench Verified instance: x__x-1'],
])('%j is refused with the words that its users know, and exit code 2', (args, message) =>
  withSuite(async (file) => {
    expect((await validate(file, ...args)).end).toEqual(refusal(2, message));
  }),
);

test('as JSON it is a list of suites', () =>
  withSuite(async (file) => {
    const { out } = await validate(file, '--json');
    expect(JSON.parse(out)).toMatchObject([{ name: 'mine', kind: 'benchmark', instances: 3, unpinned: 0 }]);
  }));

test.each([
  [['ghost'], 'expected the file of a suite or one of: '],
  [['demo', '--limit', 'many'], '--limit: expected a whole number from 1 to 100000, got "many"'],
  [['demo', '--limit', '1.5'], '--limit: expected a whole number from 1 to 100000, got "1.5"'],
  [['demo', '--limit', '1000000'], '--limit: expected a whole number from 1 to 100000, got "1000000"'],
  [
    ['demo', '--manifest', '/nowhere/x'],
    '--manifest: expected a file that can be written, but /nowhere/x is in a folder',
  ],
  [['demo', '--data', __filename], `--data: expected a folder of data sets, but ${__filename} is a file`],
  [['demo', '--data', '/nowhere'], '--data: expected a folder of data sets, but /nowhere is not there'],
  [[__dirname], `SUITE: expected the file of a suite, but ${__dirname} is a folder`],
  [['demo', '--suites', '/nowhere'], '--suites: expected none without --policy'],
  [['demo', '--policy', 'x'], 'SUITE: expected none beside --policy'],
  [['--policy', 'x', '--limit', '1'], '--limit: expected none beside --policy'],
  [['--policy', '/nowhere/x'], '--policy: expected a release policy, but /nowhere/x is not there'],
  [['--policy', __dirname], `--policy: expected a release policy, but ${__dirname} is a folder`],
  [['demo', '--instance-id', 'a b'], '--instance-id: expected an instance id, got "a b"'],
  [['demo', 'nop', '--manifest', 'x.json'], '--manifest: expected one suite'],
])('%j is wrong usage', async (args, message) => {
  const { end } = await validate(...args);
  expect(end).toBeInstanceOf(UsageError);
  expect((end as UsageError).message).toContain(message);
});

describe('a release policy', () => {
  const POLICY =
    'schema: assay.policy/1\nrepositories:\n  - name: acme/agent\n    package: { registry: none, name: agent }\n' +
    "    rules:\n      - { name: stable, event: release, prerelease: false, tag: '^v1$', suite: mine, chain: [{ suite: next }] }\n";

  test('that holds is told with what it is for; the one that is shipped does', async () => {
    const shipped = join(PROJECT_ROOT, 'assay.policy.yaml');
    expect(await validate('--policy', shipped)).toEqual({
      out: `${shipped}: valid, 5 rules for QwenLM/qwen-code; publishes prerelease\n`,
      end: null,
    });
    const { out } = await validate('--policy', shipped, '--json');
    expect(JSON.parse(out)).toMatchObject({ file: shipped, policy: { publication: 'prerelease' } });
  });

  test('that names suites which are not there is refused for each, with file, line and column', () =>
    withSuite(async (_, dir) => {
      const file = join(dir, 'policy.yml');
      await writeFile(file, POLICY);
      const { end } = await validate('--policy', file, '--suites', dir);
      expect(end).toEqual(
        refusal(
          2,
          `${file}:6:103 repositories.0.rules.0.chain.0.suite: expected the name of a suite that is there: mine, got "next"`,
        ),
      );
    }));

  test('is refused with everything else that is wrong about it', () =>
    withSuite(async (_, dir) => {
      const file = join(dir, 'policy.yaml');
      await writeFile(file, POLICY.replace('prerelease: false', 'prerelease: maybe'));
      const { end } = await validate('--policy', file);
      expect(end).toEqual(
        refusal(2, expect.stringMatching(/policy\.yaml:6:\d+ repositories\.0\.rules\.0\.prerelease: /)),
      );
    }));
});

describeWithData('the shipped suites', 'swebench/verified.jsonl.gz', () => {
  test('hold, by name and with a folder of data; one whose data is not there says how to get it', async () => {
    const { out } = await validate('dsw_release_swe_verified_v1', '--data', sharedData(''));
    expect(out).toBe(
      'dsw_release_swe_verified_v1: valid, 500 instances, 500 images are named without a digest; benchmark, publishes score\n',
    );
    const { end } = await validate('dsw_release_swe_verified_v1', '--limit', '501', '--data', sharedData(''));
    expect(end).toEqual(refusal(2, 'INSTANCE_LIMIT must be between 1 and 500'));
    const missing = await validate('terminal_bench_2', '--data', __dirname);
    expect(missing.end).toEqual(
      refusal(2, expect.stringMatching(/there is no file \/.*\/terminal-bench.*How to get it: let Harbor fetch/)),
    );
  });
});
