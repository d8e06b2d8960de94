import type { WorkKey, WorkKind } from '@assay/contracts';
import { ATTRIBUTES } from '@assay/telemetry';

/** `$1…$4` of a statement that names one piece of work by `kind, run_id, instance_id, sample`. */
export function keyParameters(key: WorkKey): [string, string, string, number] {
  return [key.kind, key.runId, key.instanceId, key.sample];
}

/** The table that keeps the tries of a kind of work; all three share the columns of a lease and its outcome. */
export const TRIES_TABLE: Readonly<Record<WorkKind, string>> = {
  trial: 'attempts',
  grade: 'grades',
  publication: 'publication_tries',
};

/** The condition on `work_items w` for the key in `$1…$4`. */
export const IS_KEY = 'w.kind = $1 and w.run_id = $2 and w.instance_id = $3 and w.sample = $4';

/** The span attributes of one piece of work. */
export function workAttributes(key: WorkKey): Record<string, string | number> {
  return {
    [ATTRIBUTES.workKind]: key.kind,
    [ATTRIBUTES.runId]: key.runId,
    [ATTRIBUTES.instanceId]: key.instanceId,
    [ATTRIBUTES.sample]: key.sample,
  };
}
