import { universalNewlines } from '../text/lines';
import { infraFailureIn, type InfraFailure, type InfraFailureReason } from './infra-failure';

/** What became of one prediction. */
export interface GradedPrediction {
  readonly id: string;
  /**
   * `empty`: no patch, or an empty one, never run. `error`: no report.json (the patch does not apply, the tests timed out,
   * no verdict for whatever reason).
   */
  readonly outcome: 'resolved' | 'unresolved' | 'error' | 'empty';
  /** What its logs say of why (`infraFailureInLogs`); told of those that are unresolved or errors. */
  readonly failure: InfraFailure | null;
}

/**
 * Why an instance may have failed through no fault of its patch. Advisory: nothing is counted differently.
 * @param logs test_output.txt and run_instance.log, as far as there are any: where the harness looks
 */
export function infraFailureInLogs(logs: readonly string[]): InfraFailure | null {
  return infraFailureIn(logs.map(universalNewlines).join('\n'));
}

/** The harness's run report, schema_version 2 of release 5.0.2, keys in its order; all ids sorted. */
export interface RunReport {
  readonly total_instances: number;
  readonly submitted_instances: number;
  readonly completed_instances: number;
  readonly resolved_instances: number;
  readonly unresolved_instances: number;
  readonly infra_failure_instances: number;
  readonly ambiguous_failure_instances: number;
  readonly empty_patch_instances: number;
  readonly error_instances: number;
  readonly completed_ids: readonly string[];
  readonly incomplete_ids: readonly string[];
  readonly empty_patch_ids: readonly string[];
  readonly submitted_ids: readonly string[];
  readonly resolved_ids: readonly string[];
  readonly unresolved_ids: readonly string[];
  readonly infra_failure_ids: readonly string[];
  readonly ambiguous_failure_ids: readonly string[];
  readonly failure_reasons: Readonly<Record<string, InfraFailureReason>>;
  readonly error_ids: readonly string[];
  readonly schema_version: 2;
}

/**
 * @param datasetIds all instances that were asked for, with and without a prediction
 * @param predictions one for each submitted instance
 */
export function runReport(datasetIds: readonly string[], predictions: readonly GradedPrediction[]): RunReport {
  const submitted = new Set(predictions.map(({ id }) => id));
  const idsOf = (...outcomes: GradedPrediction['outcome'][]) =>
    sorted(predictions.filter(({ outcome }) => outcomes.includes(outcome)).map(({ id }) => id));
  const resolved = idsOf('resolved');
  const unresolved = idsOf('unresolved');
  const completed = idsOf('resolved', 'unresolved');
  const empty = idsOf('empty');
  const errors = idsOf('error');
  const incomplete = sorted(datasetIds.filter((id) => !submitted.has(id)));
  const failures = failuresOf(predictions);
  const withTier = (tier: string) => failures.filter((failure) => failure.tier === tier).map(({ id }) => id);
  const [infra, ambiguous] = [withTier('environment'), withTier('ambiguous')];
  return {
    total_instances: datasetIds.length,
    submitted_instances: submitted.size,
    completed_instances: completed.length,
    resolved_instances: resolved.length,
    unresolved_instances: unresolved.length,
    infra_failure_instances: infra.length,
    ambiguous_failure_instances: ambiguous.length,
    empty_patch_instances: empty.length,
    error_instances: errors.length,
    completed_ids: completed,
    incomplete_ids: incomplete,
    empty_patch_ids: empty,
    submitted_ids: sorted([...submitted]),
    resolved_ids: resolved,
    unresolved_ids: unresolved,
    infra_failure_ids: infra,
    ambiguous_failure_ids: ambiguous,
    failure_reasons: Object.fromEntries(failures.map(({ id, reason }) => [id, reason])),
    error_ids: errors,
    schema_version: 2,
  };
}

/** The report file's bytes: indent 4 and a line feed. */
export function runReportJson(report: RunReport): string {
  return `${JSON.stringify(report, null, 4)}\n`;
}

/** `owner/model` with run id `x`: `owner__model.x.json`. */
export function runReportFile(model: string, runId: string): string {
  return `${modelFolder(model)}.${runId}.json`;
}

/** A model's name as the harness names its folder. @throws RangeError for a name that is no folder of its own */
export function modelFolder(model: string): string {
  const name = model.replaceAll('/', '__');
  if (name !== '' && name !== '.' && name !== '..' && !name.includes('\0')) return name;
  throw new RangeError(`model_name_or_path: expected a name that can be a folder, got ${JSON.stringify(model)}`);
}

/** Those without success of which a log says why, sorted by id. */
function failuresOf(predictions: readonly GradedPrediction[]) {
  return predictions
    .filter(({ outcome }) => outcome === 'unresolved' || outcome === 'error')
    .flatMap(({ id, failure }) => (failure === null ? [] : [{ id, ...failure }]))
    .sort((one, other) => byCodePoint(one.id, other.id));
}

function sorted(ids: readonly string[]): string[] {
  return [...ids].sort(byCodePoint);
}

function byCodePoint(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
