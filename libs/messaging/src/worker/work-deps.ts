import type { MessageHandler } from '@nestjs/microservices';
import type { Timings } from '@assay/contracts';
import type { EventLog } from '../event-log';
import type { NatsLink } from '../nats/nats-link';
import type { RpcClient } from '../rpc/rpc.client';
import type { StallWatch } from '../timing/stall-watch';
import type { WorkerOptions } from './work-types';

/** What all pieces of work of one kind in one process share. */
export interface WorkDeps {
  readonly link: NatsLink;
  readonly rpc: RpcClient;
  readonly timings: Timings;
  readonly logger: EventLog;
  readonly options: WorkerOptions;
  readonly watch: StallWatch;
  readonly handler: MessageHandler;
  /** Aborted when the worker ends. */
  readonly closing: AbortSignal;
}
