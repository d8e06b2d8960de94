import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { basename, dirname, join, resolve } from 'node:path';
import { KNOWN_AGENTS } from '@assay/agents';
import { TaskError } from '@assay/failures';
import { loadPolicy } from '@assay/release-policy';
import { chooseAgent, loadSuite, openSource, type Suite } from '@assay/suites';
import { dataFolder } from '../data-folder';
import { ExitError, UsageError } from '../output';
import { DEMO_TAG } from './demo-release.client';
import { requireFolderPlace, requireWritable, textIn } from '../path-option';
import { suitesIn, suiteOfFile } from '../suite-files';
import type { EngineNeeds } from './engine-needs';
import { modelSettings, type ModelSettings } from './model-settings';
import { requireModel } from './require-model';
import type { UpOptions } from './up-options';

/** What will run: checked before anything is started. */
export interface UpPlan {
  readonly suiteName: string;
  readonly suitesDir: string;
  readonly agent: string | null;
  readonly sandbox: 'docker' | 'process' | null;
  /** What its sandboxes need where they are containers. */
  readonly needs: EngineNeeds;
  readonly root: string;
  /** Release policy of dispatcher and publisher; null: the demo's, for this suite. */
  readonly policyFile: string | null;
  /** Null: the stand-in. */
  readonly model: ModelSettings | null;
}

/** Checks the model's settings, suite file and output file. Throws UsageError or ExitError with one clear message. */
export async function preflight(options: UpOptions, root: string): Promise<UpPlan> {
  requireGit();
  const model = modelSettings(process.env);
  const file = options.suite === null ? join(root, 'suites/demo.yaml') : resolve(options.suite);
  textIn({ option: '--suite', wanted: 'a suite file' }, file);
  const name = suiteOfFile(basename(file));
  if (name === null) throw new UsageError(`--suite: expected a file called <name>.yaml, got ${file}`);
  const suite = await checkedSuite(file, options.agent);
  if (suite.name !== name) {
    throw new UsageError(
      `${file}: name: expected ${JSON.stringify(name)} (the file's own name), got ${JSON.stringify(suite.name)}`,
    );
  }
  const policyFile = options.policy === null ? null : resolve(options.policy);
  if (policyFile !== null) requirePolicy(policyFile, dirname(file));
  if (options.jsonFile !== null) requireWritable('--json', options.jsonFile);
  if (options.stateDir !== null) requireFolderPlace('--state-dir', options.stateDir);
  const sandbox = options.sandbox ?? (suite.sandbox === 'any' ? null : suite.sandbox);
  if (suite.sandbox !== 'any' && sandbox !== suite.sandbox) {
    throw new UsageError(`--sandbox: the suite ${suite.name} needs ${suite.sandbox}, got ${String(sandbox)}`);
  }
  if (model !== null) await requireModel(model);
  const needs = { limits: suite.limits, grader: suite.grader };
  return { suiteName: name, suitesDir: dirname(file), agent: options.agent, sandbox, needs, root, model, policyFile };
}

/** Every complaint of the policy is a wrong argument. */
function requirePolicy(file: string, suitesDir: string): void {
  const text = textIn({ option: '--policy', wanted: 'a release policy' }, file);
  try {
    loadPolicy(text, file, suitesIn(suitesDir));
  } catch (error) {
    if (error instanceof TaskError) throw new UsageError(error.message);
    throw error;
  }
}

/** Patches are taken and applied with git: without it every trial would fail as our fault. */
function requireGit(): void {
  if (spawnSync('git', ['--version']).status !== 0) throw new ExitError(1, 'git is not on the PATH: Assay needs it');
}

/** The suite with all of its tasks readable and its agent known; every complaint of it is a wrong argument. */
async function checkedSuite(file: string, agent: string | null): Promise<Suite> {
  try {
    const suite = await loadSuite(file, dataFolder());
    await (await openSource(suite)).close();
    chooseAgent(suite, agent ?? undefined, KNOWN_AGENTS, { ref: DEMO_TAG, packageVersion: DEMO_TAG.slice(1) });
    return suite;
  } catch (error) {
    if (!(error instanceof TaskError)) throw error;
    const option = error.code === 'agent_unknown' && agent !== null ? '--agent: ' : '';
    throw new UsageError(`${option}${error.message}`);
  }
}

/** Throws ExitError where somebody else has the dispatcher's port; 0 is always free. */
export function portIsFree(port: number): Promise<void> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      fail(
        new ExitError(
          1,
          error.code === 'EADDRINUSE' ? `port ${port} is taken: give another with --port` : error.message,
        ),
      );
    });
    server.listen(port, '127.0.0.1', () => {
      server.close(() => {
        done();
      });
    });
  });
}
