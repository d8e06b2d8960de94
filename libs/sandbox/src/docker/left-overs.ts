import type Docker from 'dockerode';
import type { Namespace } from '@assay/contracts';
import { decodeHelper, decodeLabels, NAMESPACE_LABEL } from '../labels';
import { isDoomed } from '../reaping';
import type { Liveness } from '../sandbox.port';
import { answered } from './bounded';
import { statusOf } from './engine-errors';
import { removeContainer } from './remove-container';

/** A helper that does not run is one that is being started, unless it is older than this. Milliseconds. */
const STARTING_MS = 60_000;

type Labels = Readonly<Record<string, string>> | null;

/**
 * Removes containers, volumes and networks of a namespace that are nobody's any more, and returns how many. What is not
 * labelled as ours is not ours to judge. All are listed before it is asked which leases live.
 */
export async function removeLeftOvers(docker: Docker, namespace: Namespace, isLive: Liveness | null): Promise<number> {
  const label = [`${NAMESPACE_LABEL}=${namespace}`];
  const [containers, volumes, networks] = await Promise.all([
    answered(docker.listContainers({ all: true, filters: { label } }), 'prepare'),
    answered(docker.listVolumes({ filters: { label } }), 'prepare'),
    answered(docker.listNetworks({ filters: { label } }), 'prepare'),
  ]);
  let removed = 0;
  for (const { Id, Labels, State, Created } of containers) {
    const stopped = State !== 'running' && Created * 1000 + STARTING_MS < Date.now();
    if (!(await isLeftOver(Labels, isLive, stopped))) continue;
    await removeContainer(docker.getContainer(Id));
    removed += 1;
  }
  for (const { Name, Labels } of volumes.Volumes) {
    if (!(await isLeftOver(Labels, isLive))) continue;
    if (await isGone(docker.getVolume(Name).remove())) removed += 1;
  }
  for (const { Id, Labels } of networks) {
    if (!(await isLeftOver(Labels ?? null, isLive))) continue;
    if (await isGone(docker.getNetwork(Id).remove())) removed += 1;
  }
  return removed;
}

async function isLeftOver(labels: Labels, isLive: Liveness | null, stopped = false): Promise<boolean> {
  if (labels === null) return false;
  const now = Date.now();
  const helper = decodeHelper(labels);
  if (helper !== null) return helper.deadline < now || (stopped && helper.runs);
  const work = decodeLabels(labels);
  return work !== null && (await isDoomed(work, isLive, now));
}

/** False when it was gone with its container, or a container still has it (404, 409; 403 for networks). */
async function isGone(removal: Promise<unknown>): Promise<boolean> {
  try {
    await answered(removal, 'prepare');
    return true;
  } catch (error) {
    if ([403, 404, 409].includes(statusOf(error) ?? 0)) return false;
    throw error;
  }
}
