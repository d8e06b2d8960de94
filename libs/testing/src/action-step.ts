import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT_ROOT } from './fresh';

/** What GitHub runs: the Action's bundle as it is committed. */
export const ACTION_BUNDLE = join(PROJECT_ROOT, '.github/actions/dispatch/dist/index.js');

/** One step of a workflow that uses the Action. */
export interface ActionStep {
  /** GITHUB_EVENT_NAME. */
  readonly event: string;
  /** The event file. */
  readonly payload: unknown;
  readonly inputs: Readonly<Record<string, string>>;
  readonly env?: NodeJS.ProcessEnv;
}

export interface EndedStep {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** stdout and stderr, without the lines that the runner swallows: masks. */
  readonly log: string;
  readonly masks: readonly string[];
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
}

/** A step that runs. */
export interface RunningStep {
  readonly done: Promise<EndedStep>;
  kill(): void;
}

/** Runs the Action as a runner does: a process of its own, with the runner's variables, event file and command files. */
export async function startStep({ event, payload, inputs, env = {} }: ActionStep): Promise<RunningStep> {
  const dir = await mkdtemp(join(tmpdir(), 'assay-step-'));
  const [eventFile, outputFile, summaryFile] = ['event.json', 'output', 'summary'].map((name) => join(dir, name));
  await writeFile(eventFile ?? '', JSON.stringify(payload));
  for (const file of [outputFile, summaryFile]) await writeFile(file ?? '', '');
  const given = Object.entries(inputs).map(([name, value]): [string, string] => [`INPUT_${name.toUpperCase()}`, value]);
  const child = spawn(process.execPath, [ACTION_BUNDLE], {
    cwd: dir,
    env: {
      PATH: process.env['PATH'],
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_EVENT_NAME: event,
      GITHUB_EVENT_PATH: eventFile,
      GITHUB_OUTPUT: outputFile,
      GITHUB_STEP_SUMMARY: summaryFile,
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_REPOSITORY: 'acme/agent',
      GITHUB_REPOSITORY_ID: '9001',
      GITHUB_RUN_ID: '4711',
      GITHUB_RUN_ATTEMPT: '1',
      ...Object.fromEntries<string>(given),
      ...env,
    },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)));
  const finish = async (): Promise<EndedStep> => {
    const [exitCode, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    const lines = text.split('\n');
    const result = {
      exitCode,
      signal,
      log: lines.filter((line) => !line.startsWith('::add-mask::')).join('\n'),
      masks: lines.flatMap((line) => (line.startsWith('::add-mask::') ? [line.slice('::add-mask::'.length)] : [])),
      outputs: outputsOf(await readFile(outputFile ?? '', 'utf8')),
      summary: await readFile(summaryFile ?? '', 'utf8'),
    };
    await rm(dir, { recursive: true });
    return result;
  };
  return { done: finish(), kill: () => child.kill('SIGKILL') };
}

export async function runStep(step: ActionStep): Promise<EndedStep> {
  return (await startStep(step)).done;
}

/** The file of outputs, by the runner's rules: `name<<delimiter`, lines, delimiter. */
function outputsOf(text: string): Record<string, string> {
  const outputs: Record<string, string> = {};
  const lines = text.split('\n');
  for (let at = 0; at < lines.length - 1; at += 1) {
    const [, name = '', delimiter = ''] = /^([^=<]+)<<(.+)$/.exec(lines[at] ?? '') ?? [];
    if (name === '') throw new Error(`the runner refuses this line of outputs: ${lines[at] ?? ''}`);
    const end = lines.indexOf(delimiter, at + 1);
    outputs[name] = lines.slice(at + 1, end).join('\n');
    at = end;
  }
  return outputs;
}
