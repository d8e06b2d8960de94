import { INSTANCE_ID_PATTERN } from '@assay/contracts';
import type { DispatchInputs, DispatchPlan, PlannedSuite } from './decide-dispatch.policy';
import type { RepositoryPolicy } from './policy.schema';
import { shownTag } from './rules';

type Dispatch = NonNullable<RepositoryPolicy['dispatch']>;
type Refused = { readonly reason: string };

/** What a person asked for, held against what the policy offers; what was left open has the policy's defaults. */
export function planByHand(
  inputs: DispatchInputs,
  offered: Dispatch,
): (PlannedSuite & Pick<DispatchPlan, 'chain'>) | Refused {
  const suite = inputs.suite ?? offered.suite;
  if (!offered.suites.includes(suite)) return { reason: expected('suite', offered.suites, shownTag(suite)) };
  const first = planned(suite, offered, { limit: inputs.limit, instanceId: inputs.instanceId, names: FIRST });
  if ('reason' in first) return first;
  if (offered.chain === null || offered.unchained.includes(suite)) return { ...first, chain: [] };
  const { chainLimit: limit, chainInstanceId: instanceId } = inputs;
  const second = planned(offered.chain.suite, offered.chain, { limit, instanceId, names: SECOND });
  return 'reason' in second ? second : { ...first, chain: [second] };
}

interface Asked {
  readonly limit: number | undefined;
  readonly instanceId: string | undefined;
  readonly names: { readonly limit: string; readonly instanceId: string };
}

const FIRST = { limit: 'limit', instanceId: 'instanceId' };
const SECOND = { limit: 'chainLimit', instanceId: 'chainInstanceId' };

/** An instance is forwarded only with limit 1: a form that is filled in always holds one. */
function planned(
  suite: string,
  offered: Pick<Dispatch, 'limits' | 'limit' | 'instanceId'>,
  asked: Asked,
): PlannedSuite | Refused {
  const limit = asked.limit ?? offered.limit;
  if (!offered.limits.includes(limit)) return { reason: expected(asked.names.limit, offered.limits, String(limit)) };
  if (limit !== 1) return { suite, limit, instanceId: null };
  const instanceId = asked.instanceId ?? offered.instanceId;
  if (instanceId !== null && !INSTANCE_ID_PATTERN.test(instanceId)) {
    return { reason: `${asked.names.instanceId}: expected an instance id, got ${shownTag(instanceId)}` };
  }
  return { suite, limit, instanceId };
}

function expected(field: string, values: readonly (string | number)[], got: string): string {
  return `${field}: expected ${values.join(' or ')}, got ${got}`;
}
