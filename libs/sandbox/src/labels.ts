import { createHash } from 'node:crypto';
import { canonicalJson, WorkKey, type Namespace } from '@assay/contracts';
import type { SandboxRequest } from './sandbox.port';

/** What is written on every sandbox, so that any executor of the namespace can tell whose it is. */
export interface SandboxLabels {
  readonly namespace: string;
  readonly key: WorkKey;
  readonly epoch: number;
  readonly role: SandboxRequest['role'];
  /** Milliseconds since 1970: the sandbox is dead by then, whoever watches it. */
  readonly deadline: number;
}

/** Label that carries the namespace: the filter of the reaper. */
export const NAMESPACE_LABEL = 'assay.namespace';

const ROLE_LABEL = 'assay.role';
const DEADLINE_LABEL = 'assay.deadline';

export function labelsFor(namespace: Namespace, request: SandboxRequest, now: number): SandboxLabels {
  const { key, epoch, role } = request;
  return { namespace, key, epoch, role, deadline: now + Math.ceil(request.lifetimeSeconds * 1000) };
}

/** The labels as strings, as an engine keeps them. */
export function encodeLabels({ namespace, key, epoch, role, deadline }: SandboxLabels): Record<string, string> {
  return {
    [NAMESPACE_LABEL]: namespace,
    'assay.kind': key.kind,
    'assay.run': key.runId,
    'assay.instance': key.instanceId,
    'assay.sample': String(key.sample),
    'assay.epoch': String(epoch),
    [ROLE_LABEL]: role,
    [DEADLINE_LABEL]: String(deadline),
  };
}

/**
 * A container of ours that is no sandbox: a way to the model gateway, a look into an image or at the engine's disk, or a
 * turn on the engine.
 */
const HELPERS = ['gateway', 'look', 'disk', 'turn'] as const;

/** Labels of a helper: it belongs to no work, so it has a deadline of its own. Milliseconds since 1970. */
export function helperLabels(
  namespace: Namespace,
  role: (typeof HELPERS)[number],
  deadline: number,
): Record<string, string> {
  return { [NAMESPACE_LABEL]: namespace, [ROLE_LABEL]: role, [DEADLINE_LABEL]: String(deadline) };
}

/** A helper as its labels tell of it. */
export interface HelperLabels {
  readonly deadline: number;
  /** Whether one that does not run has ended: a turn never runs. */
  readonly runs: boolean;
}

/** What is labelled as a helper; null for anything else. */
export function decodeHelper(labels: Readonly<Record<string, string | undefined>>): HelperLabels | null {
  const deadline = Number(labels[DEADLINE_LABEL]);
  const role = HELPERS.find((known) => known === labels[ROLE_LABEL]);
  return role === undefined || !Number.isFinite(deadline) ? null : { deadline, runs: role !== 'turn' };
}

/** Null when something is missing or malformed: then it is not ours to judge. */
export function decodeLabels(labels: Readonly<Record<string, string | undefined>>): SandboxLabels | null {
  const key = WorkKey.safeParse({
    kind: labels['assay.kind'],
    runId: labels['assay.run'],
    instanceId: labels['assay.instance'],
    sample: Number(labels['assay.sample']),
  });
  const namespace = labels[NAMESPACE_LABEL];
  const role = labels[ROLE_LABEL];
  const epoch = Number(labels['assay.epoch']);
  const deadline = Number(labels[DEADLINE_LABEL]);
  if (!key.success || namespace === undefined || !Number.isInteger(epoch) || !Number.isFinite(deadline)) return null;
  if (role !== 'trial' && role !== 'grade') return null;
  return { namespace, key: key.data, epoch, role, deadline };
}

/**
 * One name for one (work, epoch, role), so that a repeated create finds what an earlier one left. Short enough for a
 * file name, whatever the length of the ids.
 */
export function sandboxName({ namespace, key, epoch, role }: Omit<SandboxLabels, 'deadline'>): string {
  const hash = createHash('sha256').update(canonicalJson({ key, epoch, role })).digest('hex').slice(0, 16);
  return `${namespace}-${role}-${key.instanceId.slice(0, 40)}-${hash}`;
}
