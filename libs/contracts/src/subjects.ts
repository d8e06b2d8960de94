import type { Namespace, RunId } from './ids';
import type { WorkKey, WorkKind } from './work.message';

/** Header of a result message: the inbox where the worker waits for its ResultReply. */
export const REPLY_HEADER = 'assay-reply';

/** Names of the request-reply subjects that the coordinator answers. */
export const RPC = {
  claim: 'claim',
  heartbeat: 'heartbeat',
  release: 'release',
  announce: 'announce',
  leasesLive: 'leases.live',
  imagesNeeded: 'images.needed',
  cancelRun: 'run.cancel',
  notificationsNext: 'notifications.next',
  notificationsSettle: 'notifications.settle',
} as const;
export type RpcName = (typeof RPC)[keyof typeof RPC];

/**
 * A NATS subject token for an id: letters, digits, hyphen and underscore stand for themselves, every other character
 * becomes `=XX` (its hexadecimal code), so that dots in ids make no new tokens.
 */
export function subjectToken(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, (char) => `=${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

function instanceToken(key: WorkKey): string {
  return key.sample === 0 ? subjectToken(key.instanceId) : `${subjectToken(key.instanceId)}=23${String(key.sample)}`;
}

/** Subjects, streams and durables of one deployment. Everything starts with its namespace. */
export function names(namespace: Namespace) {
  const upper = namespace.toUpperCase();
  return {
    workStream: `${upper}_WORK`,
    resultStream: `${upper}_RESULTS`,
    runStream: `${upper}_RUNS`,
    work: (key: WorkKey) => `${namespace}.work.${key.kind}.${subjectToken(key.runId)}.${instanceToken(key)}`,
    /** All work of a run, for a purge. */
    workOfRun: (runId: RunId) => `${namespace}.work.*.${subjectToken(runId)}.>`,
    workFilter: (kind: WorkKind) => `${namespace}.work.${kind}.>`,
    workDurable: (kind: WorkKind) => `${namespace}_${kind}`,
    workAll: `${namespace}.work.>`,
    result: (key: WorkKey) => `${namespace}.result.${key.kind}.${subjectToken(key.runId)}.${instanceToken(key)}`,
    resultAll: `${namespace}.result.>`,
    resultDurable: `${namespace}_results`,
    runSubmitted: (runId: RunId) => `${namespace}.run.submitted.${subjectToken(runId)}`,
    runAll: `${namespace}.run.>`,
    runDurable: `${namespace}_runs`,
    rpc: (name: RpcName) => `${namespace}.rpc.${name}`,
    cancel: (runId: RunId) => `${namespace}.control.cancel.${subjectToken(runId)}`,
    cancelAll: `${namespace}.control.cancel.*`,
  };
}
export type Names = ReturnType<typeof names>;
