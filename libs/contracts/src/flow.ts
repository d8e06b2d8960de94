/** The services of the pipeline. */
export type AppName = 'dispatcher' | 'coordinator' | 'executor' | 'grader' | 'publisher';

/** How a message travels: HTTP, a JetStream stream, request-reply, or a plain NATS message. */
export type Channel = 'http' | 'stream' | 'rpc' | 'core';

export interface FlowStage {
  /** What happens, in one word. */
  readonly stage: string;
  readonly app: AppName;
  /** Message it takes: `<channel>:<pattern>`. Patterns are those of the handlers' decorators. */
  readonly consumes: readonly `${Channel}:${string}`[];
  /** Messages it hands on. */
  readonly emits: readonly `${Channel}:${string}`[];
}

/**
 * The life of a run, stage by stage: the one table of who takes what. A test holds the subscriptions of every app
 * against it, and docs/messages.md is made from it.
 */
export const FLOW: readonly FlowStage[] = [
  { stage: 'hand-in', app: 'dispatcher', consumes: ['http:POST /v1/predictions'], emits: [] },
  {
    stage: 'submit',
    app: 'dispatcher',
    consumes: ['http:POST /v1/releases', 'http:POST /v1/runs'],
    emits: ['stream:run.submitted'],
  },
  {
    stage: 'cancel-request',
    app: 'dispatcher',
    consumes: ['http:POST /v1/runs/:id/cancel'],
    emits: ['rpc:run.cancel'],
  },
  { stage: 'queue', app: 'coordinator', consumes: ['stream:run.submitted'], emits: ['stream:work.trial'] },
  { stage: 'claim', app: 'coordinator', consumes: ['rpc:claim'], emits: [] },
  { stage: 'heartbeat', app: 'coordinator', consumes: ['rpc:heartbeat'], emits: [] },
  { stage: 'release', app: 'coordinator', consumes: ['rpc:release'], emits: [] },
  { stage: 'announce', app: 'coordinator', consumes: ['rpc:announce'], emits: [] },
  { stage: 'leases', app: 'coordinator', consumes: ['rpc:leases.live'], emits: [] },
  {
    stage: 'notices',
    app: 'coordinator',
    consumes: ['rpc:notifications.next', 'rpc:notifications.settle'],
    emits: [],
  },
  { stage: 'images', app: 'coordinator', consumes: ['rpc:images.needed'], emits: [] },
  { stage: 'cancel', app: 'coordinator', consumes: ['rpc:run.cancel'], emits: ['core:control.cancel'] },
  {
    stage: 'trial',
    app: 'executor',
    consumes: ['stream:work.trial', 'core:control.cancel'],
    emits: [
      'rpc:announce',
      'rpc:claim',
      'rpc:heartbeat',
      'rpc:release',
      'rpc:leases.live',
      'rpc:images.needed',
      'stream:result.trial',
    ],
  },
  {
    stage: 'grade',
    app: 'grader',
    consumes: ['stream:work.grade', 'core:control.cancel'],
    emits: [
      'rpc:announce',
      'rpc:claim',
      'rpc:heartbeat',
      'rpc:release',
      'rpc:leases.live',
      'rpc:images.needed',
      'stream:result.grade',
    ],
  },
  {
    stage: 'publish',
    app: 'publisher',
    consumes: ['stream:work.publication', 'core:control.cancel'],
    emits: ['rpc:announce', 'rpc:claim', 'rpc:heartbeat', 'rpc:release', 'stream:result.publication'],
  },
  {
    stage: 'notify',
    app: 'publisher',
    consumes: [],
    emits: ['rpc:notifications.next', 'rpc:notifications.settle'],
  },
  {
    stage: 'record',
    app: 'coordinator',
    consumes: ['stream:result.trial', 'stream:result.grade', 'stream:result.publication'],
    emits: ['stream:work.trial', 'stream:work.grade', 'stream:work.publication'],
  },
];
