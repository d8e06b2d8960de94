import type { Receipt } from '@assay/contracts';
import type { RunRow } from '@assay/persistence';

/**
 * What the caller keeps of a run.
 * @param frozenInstances once it is frozen; null: not yet
 */
export function receiptOf(
  run: RunRow & { readonly origin: NonNullable<RunRow['origin']> },
  { deduplicated, frozenInstances }: { readonly deduplicated: boolean; readonly frozenInstances: number | null },
): Receipt {
  const { origin } = run;
  return {
    schemaVersion: 'assay.receipt/1',
    status: run.state,
    runId: run.id,
    runUrl: `/v1/runs/${run.id}`,
    deduplicated,
    releaseTag: origin.release.tag,
    evaluatedRef: origin.plan.evaluatedRef,
    commit: run.evaluatedCommit,
    suite: run.suite,
    rule: origin.rule,
    expectedInstances: frozenInstances ?? origin.expectedInstances,
    chain: origin.plan.chain.map(({ suite }, at) => ({
      suite,
      status: run.chain[at]?.state ?? 'PENDING',
      expectedInstances: origin.chainInstances[at] ?? null,
    })),
  };
}
