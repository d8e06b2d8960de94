import { AckPolicy, type ConsumerConfig, DiscardPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import type { StreamConfig } from '@nats-io/jetstream';
import { nanos } from '@nats-io/nats-core';
import { type Names, type Timings, WorkKind } from '@assay/contracts';

export interface StreamLayout {
  readonly stream: Partial<StreamConfig> & { readonly name: string };
  readonly durables: readonly (Partial<ConsumerConfig> & { readonly durable_name: string })[];
}

export interface StreamLimits {
  /** Bytes that one stream may hold on disk. Default 1 GiB. */
  readonly maxBytes?: number;
}

const KIB = 1024;
const GIB = KIB * KIB * KIB;

/**
 * What one deployment has on the server. Every stream is a work queue that refuses what it cannot hold (discard old would
 * silently drop work) and holds one message per subject, so that publishing what is still stored is harmless.
 */
export function streamLayouts(names: Names, timings: Timings, { maxBytes = GIB }: StreamLimits = {}) {
  const queue = (name: string, subject: string, maxMessageBytes: number): StreamLayout['stream'] => ({
    name,
    subjects: [subject],
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    discard_new_per_subject: true,
    max_msgs_per_subject: 1,
    max_msg_size: maxMessageBytes,
    max_bytes: maxBytes,
    duplicate_window: nanos(10 * 60_000),
    num_replicas: 1,
  });
  const durable = (name: string, filter: string, ackWaitMs: number): StreamLayout['durables'][number] => ({
    durable_name: name,
    filter_subject: filter,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMs),
    // Tries are counted in PostgreSQL: a message at its limit would stay in the stream, undelivered and invisible.
    max_deliver: -1,
    // A message given back with a delay still takes one of these, so it must never be the limit of concurrency.
    max_ack_pending: 10_000,
  });
  return {
    /** Ids only: 64 KiB is plenty. */
    work: {
      stream: queue(names.workStream, names.workAll, 64 * KIB),
      durables: WorkKind.options.map((kind) => workDurable(names, timings, kind)),
    },
    /** A publication's result carries a whole release body (125,000 characters). */
    results: {
      stream: queue(names.resultStream, names.resultAll, KIB * KIB),
      durables: [durable(names.resultDurable, names.resultAll, timings.resultAckWaitMs)],
    },
    runs: {
      stream: queue(names.runStream, names.runAll, 64 * KIB),
      durables: [durable(names.runDurable, names.runAll, timings.resultAckWaitMs)],
    },
  } satisfies Record<string, StreamLayout>;

  function workDurable(of: Names, { leaseMs }: Timings, kind: WorkKind): StreamLayout['durables'][number] {
    // The ack deadline is the lease. No `backoff`: its first value would replace the ack deadline.
    return durable(of.workDurable(kind), of.workFilter(kind), leaseMs);
  }
}
