import type { PublicResult } from '@assay/contracts';
import { decideGate, type GateDecision } from '@assay/scoring';

/** Counts, gate and score of a result, decided anew from its instances by the rules of libs/scoring. */
export function decideAgain({ instances, gate, publish, benchmarkSize }: PublicResult): GateDecision {
  return decideGate({
    instances: instances.map(({ id, sample, ...rest }) => ({ ...rest, id: sample === 0 ? id : `${id}#${sample}` })),
    policy: { ...gate, publish, benchmarkSize },
  });
}
