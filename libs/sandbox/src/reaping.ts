import type { WorkKey } from '@assay/contracts';
import type { SandboxLabels } from './labels';
import type { Liveness } from './sandbox.port';

/** True when nobody may need this sandbox any more: its deadline is past, or its lease is known to be dead. */
export async function isDoomed(labels: SandboxLabels, isLive: Liveness | null, now: number): Promise<boolean> {
  if (labels.deadline < now) return true;
  return isLive !== null && !(await isLive(labels.key, labels.epoch));
}

/**
 * A liveness that asks once, at its first use. `reap` lists before it asks, so a sandbox that was created while the
 * question was under way is never taken for an orphan.
 */
export function askedOnce(ask: () => Promise<readonly { key: WorkKey; epoch: number }[]>): Liveness {
  let answer: Promise<Set<string>> | null = null;
  return async (key, epoch) => {
    answer ??= ask().then((live) => new Set(live.map((lease) => leaseName(lease.key, lease.epoch))));
    return (await answer).has(leaseName(key, epoch));
  };
}

function leaseName({ kind, runId, instanceId, sample }: WorkKey, epoch: number): string {
  return JSON.stringify([kind, runId, instanceId, sample, epoch]);
}
