import { type InstanceView, Manifest, type RunView } from '@assay/contracts';
import { runReport, runReportFile, runReportJson } from '@assay/grading';
import {
  type InstanceSelection,
  keepKnown,
  type PredictionProblem,
  type Predictions,
  selectInstances,
} from '@assay/suites';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiClient } from '../api.client';
import { ExitError } from '../output';
import { gradingRun } from './grading-run.client';
import { writeInstance } from './harness-folder';
import { type Judged, judged, judgedLine, type Submitted } from './judged';

/** Instances whose logs are fetched and written at the same time. */
const WRITERS = 6;

export interface GradeRequest {
  readonly predictions: Predictions;
  readonly suite: string;
  readonly selection: InstanceSelection;
  /** Where the harness's layout is written; null: a folder of the run's own. */
  readonly out: string | null;
  /** The run's name in folders and in the report's file name; null: its id. */
  readonly runName: string | null;
  readonly signal: AbortSignal;
  /** Takes each line of progress. */
  readonly note: (line: string) => void;
}

/** What is printed at the end, and as JSON. */
export interface GradeSummary {
  readonly runId: string;
  readonly report: string;
  readonly logs: string;
  readonly total: number;
  readonly submitted: number;
  readonly resolved: number;
  readonly unresolved: number;
  readonly emptyPatch: number;
  readonly failed: number;
  readonly problems: readonly PredictionProblem[];
}

/** True when every prediction that was handed in has its verdict. */
export function allJudged({ failed, problems }: GradeSummary): boolean {
  return failed === 0 && problems.length === 0;
}

/** Grades predictions in the pool behind `api`: reads, submits, follows, and writes what the harness would leave. */
export async function gradePredictions(api: ApiClient, request: GradeRequest): Promise<GradeSummary> {
  const { instances: known } = await api.suiteInstances(request.suite);
  const asked = selectInstances<string>(known, request.selection);
  const { submitted, problems } = chosenPredictions(request.predictions, known, asked);
  for (const { place, problem } of problems) process.stderr.write(`${place}: ${problem}\n`);
  if (submitted.length === 0) throw new ExitError(1, 'no prediction is left to grade');
  request.note(`grading ${submitted.length} predictions for ${asked.length} instances of ${request.suite}`);

  const byId = new Map(submitted.map((prediction) => [prediction.id, prediction]));
  const ended = await gradingRun(api, {
    suite: request.suite,
    predictions: submitted,
    signal: request.signal,
    onEnded: (instance) => {
      const prediction = byId.get(instance.instanceId);
      if (prediction === undefined) return;
      request.note(judgedLine(prediction.id, verdictOf(prediction, instance), instance.suspicions));
    },
  });

  const runId = ended.run.runId;
  const runName = request.runName ?? runId;
  const out = request.out ?? `grade-${runId}`;
  const manifest = await frozenManifest(api, manifestOf(ended.run));
  const graded = await eachOf(submitted, WRITERS, (prediction) => {
    const instance = ended.instances.get(prediction.id);
    if (instance === undefined) throw new ExitError(1, `${runId} does not tell of ${prediction.id}`);
    return writeInstance({ api, out, runName, manifest }, prediction, instance, verdictOf(prediction, instance));
  });
  const report = runReport(asked, graded);
  const file = join(out, runReportFile(submitted[0]?.model ?? '', runName));
  await mkdir(out, { recursive: true });
  await writeFile(file, runReportJson(report));
  return {
    runId,
    report: file,
    logs: join(out, 'logs/run_evaluation', runName),
    total: report.total_instances,
    submitted: report.submitted_instances,
    resolved: report.resolved_instances,
    unresolved: report.unresolved_instances,
    emptyPatch: report.empty_patch_instances,
    failed: report.error_instances,
    problems,
  };
}

/** Those that were asked for; whatever else is wrong with the input is a problem with its place. */
function chosenPredictions(
  read: Predictions,
  known: readonly string[],
  asked: readonly string[],
): { submitted: Submitted[]; problems: readonly PredictionProblem[] } {
  const { predictions, problems } = keepKnown(read, new Set(known));
  const isAsked = new Set(asked);
  const submitted = predictions
    .filter(({ instanceId }) => isAsked.has(instanceId))
    .map(({ instanceId: id, model, patch, trajectoryFile = null }) => ({ id, model, patch, trajectoryFile }));
  return { submitted, problems };
}

/** A run that has ended has ended all of its instances; one that is open has no verdict. */
function verdictOf(prediction: Submitted, instance: InstanceView): Judged {
  const open: Judged = { outcome: 'failed', code: 'not_graded', message: 'the run ended without it' };
  return judged(prediction, instance) ?? open;
}

function manifestOf({ result }: RunView): string | null {
  return result === null || result.status === 'FAILED' ? null : result.manifestDigest;
}

async function frozenManifest(api: ApiClient, digest: string | null): Promise<Manifest> {
  if (digest === null) throw new ExitError(1, 'the run has no result');
  return Manifest.parse(JSON.parse((await api.artifact(digest)).toString('utf8')));
}

/** Like `Promise.all` over `work`, with at most `slots` at the same time; results in the order of the items. */
async function eachOf<T, R>(items: readonly T[], slots: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index];
      if (item !== undefined) results[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: slots }, lane));
  return results;
}
