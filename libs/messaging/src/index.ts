export type { EventLog } from './event-log';
export { connectNats, type ConnectOptions } from './nats/connect-nats';
export { NatsLink } from './nats/nats-link';
export { natsProviders, TIMINGS } from './nest/nats-providers';
export { WORKER, workerProviders, workerTransport } from './nest/worker-providers';
export { RpcClient, type CallOptions } from './rpc/rpc.client';
export type { RpcContext, RpcReply, RpcRequest } from './rpc/rpc-types';
export { CoreMessage, Rpc, StreamConsumer, type StreamConsumerOptions, WorkHandler } from './server/handlers';
export { JetStreamServer, type JetStreamServerOptions } from './server/jetstream-server';
export type { StreamContext, StreamMessages, StreamPattern } from './server/stream-patterns';
export { subscriptionsOf } from './server/subscriptions';
export { done, giveBack, lost, type Verdict } from './server/verdict';
export { ControlPublisher } from './streams/control-publisher';
export { JetStreamPublisher, type Published, type PublishOptions } from './streams/jetstream-publisher';
export type { StreamLimits } from './streams/stream-layout.policy';
export {
  type Fingerprints,
  type PendingWork,
  type StoredResult,
  StreamProvisioner,
  type StreamProvisionerOptions,
} from './streams/stream-provisioner';
export type {
  FailedWork,
  OutcomeOf,
  RunBudgetWatch,
  SpecOf,
  WorkContext,
  WorkerOptions,
  WorkResult,
} from './worker/work-types';
export { failedOutcome } from './worker/failed-outcome';
export { longestWorkMs } from './worker/longest-work.policy';
export { newWorkerId } from './worker/worker-id';
