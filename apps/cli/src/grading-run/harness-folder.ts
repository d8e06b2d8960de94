import { Manifest, type InstanceView } from '@assay/contracts';
import { type GradedPrediction, infraFailureInLogs, modelFolder, prepareEvalScript } from '@assay/grading';
import { isEmptyPatch, readRow } from '@assay/suites';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiClient } from '../api.client';
import type { Judged, Submitted } from './judged';

/** Where the harness's folders begin. */
export const LOG_ROOT = 'logs/run_evaluation';

export interface HarnessFolder {
  readonly api: ApiClient;
  /** The folder that holds `logs/`. */
  readonly out: string;
  /** The run's name in folder names. */
  readonly runName: string;
  readonly manifest: Manifest;
}

/**
 * Writes what the harness leaves of an instance: patch.diff, eval.sh, test_output.txt, report.json, run_instance.log under
 * `logs/run_evaluation/<run>/<model>/<instance>/`. An instance without a patch has no folder there, as officially, except
 * for a trajectory that was handed in. Resolves with what the run report wants to know.
 */
export async function writeInstance(
  { api, out, runName, manifest }: HarnessFolder,
  prediction: Submitted,
  instance: InstanceView,
  judged: Judged,
): Promise<GradedPrediction> {
  const dir = join(out, LOG_ROOT, runName, modelFolder(prediction.model), prediction.id);
  const outcome = judged.outcome === 'failed' ? 'error' : judged.outcome;
  if (prediction.trajectoryFile !== null) {
    await mkdir(dir, { recursive: true });
    await copyFile(prediction.trajectoryFile, join(dir, `${prediction.id}.traj.json`));
  }
  if (isEmptyPatch(prediction.patch)) {
    return { id: prediction.id, outcome: judged.outcome === 'failed' ? 'error' : 'empty', failure: null };
  }
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'patch.diff'), prediction.patch ?? '');
  const script = await evalScript(api, manifest, prediction.id);
  if (script !== null) await writeFile(join(dir, 'eval.sh'), script);
  const output = await testOutput(api, manifest, instance);
  if (output !== null) await writeFile(join(dir, 'test_output.txt'), output);
  const report = await lastGradeArtifact(api, instance, 'report');
  if (report !== null) await writeFile(join(dir, 'report.json'), report);
  const log = instanceLog(instance, judged);
  await writeFile(join(dir, 'run_instance.log'), log);
  return { id: prediction.id, outcome, failure: infraFailureInLogs([output?.toString('utf8') ?? '', log]) };
}

/** Null for tasks that are no SWE-bench rows. */
async function evalScript(api: ApiClient, manifest: Manifest, id: string): Promise<string | null> {
  const frozen = manifest.instances.find((instance) => instance.id === id);
  if (frozen?.source !== 'swebench') return null;
  return prepareEvalScript(readRow(await api.artifact(frozen.bundle.digest)).hidden.evalScript);
}

/** The log, byte for byte; under a time limit with the harness's own last line. */
async function testOutput(api: ApiClient, { grader }: Manifest, instance: InstanceView): Promise<Buffer | null> {
  const log = await lastGradeArtifact(api, instance, 'grade_log');
  if (instance.failure?.code !== 'tests_timed_out') return log;
  const end = `\n\nTimeout error: ${grader.timeoutSeconds} seconds exceeded.`;
  return Buffer.concat([log ?? Buffer.alloc(0), Buffer.from(end)]);
}

async function lastGradeArtifact(api: ApiClient, { history }: InstanceView, name: string): Promise<Buffer | null> {
  const refs = history.filter(({ kind }) => kind === 'grade').flatMap(({ artifacts }) => artifacts);
  const ref = refs.filter((artifact) => artifact.name === name).at(-1);
  return ref === undefined ? null : api.artifact(ref.digest);
}

/** The story of the grade in the harness's words where it has some: it looks for reasons here, too. */
function instanceLog(instance: InstanceView, judged: Judged): string {
  const tries = instance.history
    .filter(({ kind }) => kind === 'grade')
    .map(({ number, state, worker, startedAt, finishedAt, failure }) => {
      const end = failure === null ? '' : ` ${failure.code}: ${failure.message}`;
      return `${startedAt} - grade ${number} on ${worker}: ${state} at ${finishedAt ?? 'no time'}${end}`;
    });
  const applied = judged.outcome === 'failed' ? appliedWords(instance) : '>>>>> Applied Patch:';
  return `${[...tries, applied, `state: ${instance.state}`].join('\n')}\n`;
}

function appliedWords({ failure }: InstanceView): string {
  if (failure?.code !== 'patch_apply_failed') return `no verdict: ${failure?.code ?? 'unknown'}`;
  const { said } = failure.details as { said?: unknown };
  return `>>>>> Patch Apply Failed:\n${typeof said === 'string' ? said : failure.message}`;
}
