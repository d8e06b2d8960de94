import { RUN_ID_PATTERN } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { readPredictions, selectInstances } from '@assay/suites';
import { Option, type Command } from 'commander';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import type { ApiClient } from '../../api.client';
import { caFileOption, clientOf } from '../../connection';
import { chosenSuite, type ChosenSuite } from '../../grading-run/chosen-suite';
import { allJudged, gradePredictions, type GradeSummary } from '../../grading-run/grade-predictions';
import { LOG_ROOT } from '../../grading-run/harness-folder';
import { startLocalPool } from '../../grading-run/local-pool';
import { answer, say, UsageError } from '../../output';
import { requireFolderPlace, requireThere } from '../../path-option';
import { projectRoot } from '../../project-root';
import { onThisMachine } from '../../up/machine';
import { chooseSandbox, dockerAlone } from '../../up/sandbox-choice';
import { numberOption } from '../../number-option';

interface PredictionOptions {
  readonly predictions?: string;
  readonly suite?: string;
  readonly subset?: string;
  readonly split: string;
  readonly data: string;
  readonly filter?: string;
  readonly slice?: string;
  readonly shuffle?: boolean;
  readonly seed?: string;
  readonly workers?: string;
  readonly out?: string;
  readonly runId?: string;
  readonly url?: string;
  readonly tokenFile?: string;
  readonly caFile?: string;
  readonly stateDir?: string;
  readonly json?: boolean;
}

/** The harness's default of workers: three quarters of the CPUs, at most 24, at least one. */
const DEFAULT_WORKERS = Math.max(1, Math.min(24, Math.floor(availableParallelism() * 0.75)));

/** `assay grade --predictions …`: a grade-only run, in a pool of this machine or (with --url) in a running one. */
export function withPredictions(grade: Command): void {
  grade
    .option('--predictions <path>', 'preds.json, all_preds.jsonl, or the output folder of mini-swe-agent or SWE-agent')
    .option('--suite <name|file>', 'the tasks: a suite of this checkout, or a suite file')
    .option('--subset <name>', 'in place of --suite: full, lite, verified or multilingual, from files in --data')
    .option('--split <name>', 'split of --subset', 'test')
    .option('--data <folder>', 'where <subset>-<split>.jsonl, .jsonl.gz or .parquet lies', '.')
    .option('--filter <regex>', 'only instances whose id matches from its beginning')
    .option('--slice <slice>', 'only this slice of them, e.g. 0:50')
    .option('--shuffle', 'shuffle before slicing')
    .option('--seed <n>', 'seed of the shuffle (default: 42)')
    .option('--workers <n>', `grades at the same time on this machine (default: ${DEFAULT_WORKERS})`)
    .option('--out <folder>', 'where reports and logs go (default: grade-<run id>)')
    .option('--run-id <name>', "the run's name in folders and in the report's file name (default: its id)")
    .addOption(new Option('--url <url>', 'grade in the pool behind this dispatcher').env('ASSAY_URL'))
    .addOption(new Option('--token-file <file>', 'its bearer token').env('ASSAY_API_TOKEN_FILE'))
    .addOption(caFileOption())
    .option('--state-dir <dir>', "the pool's data, logs and keys on this machine (default: .assay/grade)")
    .option('--json', 'print the totals as JSON in place of words')
    .action(async (options: PredictionOptions) => {
      const summary = await (options.url === undefined ? gradeHere(options) : gradeThere(options, options.url));
      answer(options.json, summary, () => inWords(summary));
      if (!allJudged(summary)) process.exitCode = 1;
    });
}

/** In a pool of this machine that is started for the run and stopped after it. */
async function gradeHere(options: PredictionOptions): Promise<GradeSummary> {
  const root = projectRoot();
  const stateDir = resolve(options.stateDir ?? join(root, '.assay/grade'));
  requireFolderPlace('--state-dir', stateDir);
  const workers = numberOption('--workers', options.workers ?? String(DEFAULT_WORKERS), {
    low: 1,
    high: 64,
    whole: true,
  });
  const request = await checked(options);
  const { suite = null, subset = null, split, data } = options;
  if (suite !== null && subset !== null) throw new UsageError('--subset: expected none beside --suite');
  const chosen = await chosenSuite({ suite, subset, split, data }, root, stateDir);
  const machine = { stateDir, chooseSandbox: sandboxFor(chosen) };
  return onThisMachine(machine, async (ground) => {
    const api = await startLocalPool(ground, { root, suitesDir: chosen.suitesDir, workers, timeScale: 1 });
    return gradePredictions(api, { ...request, suite: chosen.name, signal: ground.signal });
  });
}

function sandboxFor({ ownImages, sandbox }: ChosenSuite): Parameters<typeof onThisMachine>[0]['chooseSandbox'] {
  if (ownImages) return dockerAlone;
  return (how) => chooseSandbox(sandbox === 'any' ? null : sandbox, how);
}

/** In a running pool, whose suites and size are its own. */
async function gradeThere(options: PredictionOptions, url: string): Promise<GradeSummary> {
  for (const name of ['subset', 'workers', 'stateDir'] as const) {
    if (options[name] === undefined) continue;
    const flag = name === 'stateDir' ? '--state-dir' : `--${name}`;
    throw new UsageError(`${flag}: expected none with --url (or ASSAY_URL): the pool there is as it is`);
  }
  if (options.suite === undefined) throw new UsageError('--suite: expected the name of a suite of the pool');
  const api: ApiClient = clientOf({
    url,
    ...(options.tokenFile === undefined ? {} : { tokenFile: options.tokenFile }),
    ...(options.caFile === undefined ? {} : { caFile: options.caFile }),
  });
  const request = await checked(options);
  return gradePredictions(api, { ...request, suite: options.suite, signal: new AbortController().signal });
}

/** What does not depend on where is graded. Throws UsageError by option. */
async function checked(options: PredictionOptions) {
  const { predictions, filter, slice, shuffle, out = null, runId = null } = options;
  if (predictions === undefined) throw new UsageError('--predictions: expected a file or folder of predictions');
  requireThere({ option: '--predictions', wanted: 'a file or folder of predictions' }, predictions);
  if (out !== null) requireFolderPlace('--out', out);
  if (runId !== null && !RUN_ID_PATTERN.test(runId)) {
    throw new UsageError(
      `--run-id: expected 1 to 128 characters of A-Z a-z 0-9 . _ -, the first a letter or digit, got ${JSON.stringify(runId)}`,
    );
  }
  const seed =
    options.seed === undefined
      ? undefined
      : numberOption('--seed', options.seed, { low: 0, high: Number.MAX_SAFE_INTEGER, whole: true });
  // With --json the answer alone stands on stdout.
  const note = options.json === true ? (line: string) => void process.stderr.write(`${line}\n`) : say;
  const selection = { filter, slice, shuffle, seed };
  requireNew(out, runId);
  try {
    selectInstances([], selection);
  } catch (error) {
    throw error instanceof TaskError ? new UsageError(`--${error.message}`) : error;
  }
  try {
    return { predictions: await readPredictions(predictions), selection, out, runName: runId, note };
  } catch (error) {
    throw error instanceof TaskError ? new UsageError(`--predictions: ${error.message}`) : error;
  }
}

/** Reports of another run beside ours would be taken for ours. */
function requireNew(out: string | null, runId: string | null): void {
  if (out === null || runId === null) return;
  const there = join(out, LOG_ROOT, runId);
  if (!existsSync(there)) return;
  throw new UsageError(`--run-id: expected a name that is new in --out, but ${there} is there`);
}

function inWords(summary: GradeSummary): string {
  const { total, submitted, resolved, unresolved, emptyPatch, failed, problems, report, logs } = summary;
  return [
    '',
    `${resolved} resolved, ${unresolved} unresolved, ${emptyPatch} with an empty patch, ${failed} without a verdict; ` +
      `${submitted} of ${total} instances had a prediction`,
    ...(problems.length === 0 ? [] : [`${problems.length} problems of the predictions are named above`]),
    `report  ${report}`,
    `logs    ${logs}`,
  ].join('\n');
}
