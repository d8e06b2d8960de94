import { describeNeeding, PROJECT_ROOT, withTempDir } from '@assay/testing';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startModelStandin, type ModelStandin } from '../../../../tools/model-standin/server.mjs';
import { loadSuite } from '../suite/load-suite';
import { openSource } from '../suite/task-source';
import { TaskRunner } from './task-runner';

const NODE_TASKS = join(PROJECT_ROOT, 'examples/tasks');
const PYTHON_TASKS = join(PROJECT_ROOT, 'examples/tasks-python');
const TRANSCRIPTS = join(PROJECT_ROOT, 'examples/transcripts');

interface Transcript {
  readonly task: string;
  readonly turns: readonly { readonly content: string }[];
}

const run = <T>(folder: string, task: string, work: (runner: TaskRunner) => T | Promise<T>): Promise<T> =>
  withTempDir(async (root) => work(await TaskRunner.prepare(join(folder, task), root)));

const transcriptOf = async (task: string): Promise<Transcript> =>
  JSON.parse(await readFile(join(TRANSCRIPTS, `${task}.json`), 'utf8')) as Transcript;

/** The one command of a reply, as the agent mini reads it. */
const commandOf = (reply: string) => /^```bash\n([\s\S]*?)\n```$/m.exec(reply)?.[1] ?? null;

function holds(folder: string, task: string): void {
  test('without a change it is unresolved', () =>
    run(folder, task, async (runner) => {
      expect(await runner.grade()).toMatchObject({ exitCode: 0, reward: '0' });
    }));

  test('with its solution it is resolved', () =>
    run(folder, task, async (runner) => {
      expect(await runner.solve()).toMatchObject({ exitCode: 0 });
      expect(await runner.grade()).toMatchObject({ exitCode: 0, reward: '1' });
    }));

  test('its solution may be applied twice', () =>
    run(folder, task, async (runner) => {
      await runner.solve();
      expect(await runner.solve()).toMatchObject({ exitCode: 0 });
    }));

  test('neither its tests nor its solution stand in its environment', () =>
    run(folder, task, ({ unpacked }) => {
      const inside = readdirSync(unpacked.environmentDir, { recursive: true }).map(String);
      expect(inside.filter((name) => /hidden|solve|test\.sh/.test(name))).toEqual([]);
    }));
}

describe.each(readdirSync(NODE_TASKS))('the example %s', (task) => {
  holds(NODE_TASKS, task);

  test('code that ends the process early does not pass for a solution', () =>
    run(NODE_TASKS, task, async (runner) => {
      for (const file of readdirSync(join(runner.workdir, 'src'))) {
        const path = join(runner.workdir, 'src', file);
        const text = await readFile(path, 'utf8');
        await writeFile(path, `${text}\nconsole.log('pass 99');\nprocess.exit(0);\n`);
      }
      expect(await runner.grade()).toMatchObject({ exitCode: 0, reward: '0' });
    }));
});

const python = spawnSync('python3', ['--version']).status === 0 ? null : 'python3 is not installed';

describeNeeding(python, 'the examples in Python', () => {
  describe.each(readdirSync(PYTHON_TASKS))('%s', (task) => {
    holds(PYTHON_TASKS, task);

    test('code that ends the process early does not pass for a solution', () =>
      run(PYTHON_TASKS, task, async (runner) => {
        const sources = readdirSync(runner.workdir, { recursive: true })
          .map(String)
          .filter((name) => name.endsWith('.py'));
        for (const file of sources) await writeFile(join(runner.workdir, file), 'import os\nos._exit(0)\n');
        expect(await runner.grade()).toMatchObject({ reward: '0' });
      }));
  });
});

test('there is one transcript for each task of the demo, named like it', async () => {
  const names = readdirSync(TRANSCRIPTS).map((file) => file.replace(/\.json$/, ''));
  expect(names.sort()).toEqual(readdirSync(NODE_TASKS).sort());
  for (const name of names) expect((await transcriptOf(name)).task).toBe(name);
});

describe('the shipped transcripts', () => {
  let standin: ModelStandin;
  beforeAll(async () => {
    standin = await startModelStandin({ transcriptsDir: TRANSCRIPTS });
  });
  afterAll(() => standin.stop());

  /** What the stand-in says to an agent without tools when it was answered so often before. */
  async function reply(task: string, turn: number): Promise<string> {
    const said = Array.from({ length: turn }, () => ({ role: 'assistant', content: '' }));
    const messages = [{ role: 'user', content: `Task: ${task}` }, ...said];
    const body = JSON.stringify({ model: 'm', messages });
    const answer = await fetch(`${standin.url}/v1/chat/completions`, { method: 'POST', body });
    const { choices } = (await answer.json()) as { choices: [{ message: { content: string } }] };
    return choices[0].message.content;
  }

  const replay = (task: string) =>
    run(NODE_TASKS, task, async (runner) => {
      let submitted = false;
      for (const turn of (await transcriptOf(task)).turns.keys()) {
        const command = commandOf(await reply(task, turn));
        if (command === null) return 'crashed';
        const result = await runner.command(command);
        expect(result).toMatchObject({ exitCode: 0 });
        submitted = result.output.startsWith('ASSAY_SUBMIT\n');
      }
      expect(submitted).toBe(true);
      const seconds = Math.min(30, runner.unpacked.task.verifier.timeoutSeconds);
      const { exitCode, reward } = await runner.grade(seconds);
      return exitCode === null ? 'timed out' : reward;
    });

  test.each([
    ['csv-quotes', '1'],
    ['lru-cache', '1'],
    ['retry-backoff', '1'],
    ['semver-sort', '1'],
    ['slug-accents', '1'],
    ['leap-days', '0'],
    ['interval-merge', 'timed out'],
    ['template-escape', 'crashed'],
  ])('of %s end in %s', async (task, expected) => {
    expect(await replay(task)).toBe(expected);
  });

  test('of the agent that crashes hold more useless replies than it takes', async () => {
    const { turns } = await transcriptOf('template-escape');
    expect(turns.length).toBeGreaterThan(3);
    expect(turns.filter(({ content }) => content.includes('```'))).toEqual([]);
  });
});

test.each([
  ['demo', 8],
  ['python-demo', 4],
])('the suite %s has its %d tasks and nothing to warn of', async (name, count) => {
  const source = await openSource(await loadSuite(join(PROJECT_ROOT, 'suites', `${name}.yaml`)));
  expect(source.ids).toHaveLength(count);
  expect(source.warnings).toEqual([]);
});
