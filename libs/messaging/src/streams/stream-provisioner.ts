import { JetStreamApiCodes, JetStreamApiError, type JetStreamManager, type StoredMsg } from '@nats-io/jetstream';
import { REPLY_HEADER, ResultMessage, type RunId, type Timings, type WorkKey, type WorkKind } from '@assay/contracts';
import { ContractError, InfraError } from '@assay/failures';
import type { EventLog } from '../event-log';
import type { NatsLink } from '../nats/nats-link';
import { checkServerVersion } from '../nats/server-version.policy';
import { traceparentOf } from '../nats/trace-headers';
import { type StreamLayout, streamLayouts, type StreamLimits } from './stream-layout.policy';

export interface StreamProvisionerOptions extends StreamLimits {
  readonly link: NatsLink;
  readonly timings: Timings;
  readonly logger: EventLog;
}

/** When each stream was created. One that differs from the last time means that the store was lost. */
export interface Fingerprints {
  readonly work: string;
  readonly results: string;
  readonly runs: string;
}

export interface PendingWork {
  /** Messages that no worker has taken yet. */
  readonly waiting: number;
  /** Delivered and not yet acknowledged, messages given back with a delay included. */
  readonly inFlight: number;
}

/** A result that waits in its stream. */
export interface StoredResult {
  readonly message: ResultMessage;
  readonly sequence: number;
  readonly traceparent: string | null;
  /** Where the worker waits for the answer, if it named a place. */
  readonly replyTo: string | null;
}

/** Lays and repairs what the deployment has on the server. The coordinator alone uses it. */
export class StreamProvisioner {
  private readonly link: NatsLink;
  private readonly logger: EventLog;
  private readonly layouts: ReturnType<typeof streamLayouts>;

  constructor({ link, timings, logger, ...limits }: StreamProvisionerOptions) {
    this.link = link;
    this.logger = logger;
    this.layouts = streamLayouts(link.names, timings, limits);
  }

  /**
   * Makes streams and durables be as they should; changes nothing that is right. May be called again and again.
   * @throws InfraError `nats_away`, `nats_too_old`, `stream_layout` (the server refused, with its reason)
   */
  async lay(): Promise<Fingerprints> {
    const version = this.link.serverVersion;
    if (version === null) throw new InfraError('no connection to NATS', { code: 'nats_away', phase: 'dispatch' });
    const warning = checkServerVersion(version);
    if (warning !== null) this.logger.warn({ version }, warning);
    return await this.asking('lay streams', async (manager) => ({
      work: await layStream(manager, this.layouts.work),
      results: await layStream(manager, this.layouts.results),
      runs: await layStream(manager, this.layouts.runs),
    }));
  }

  /** Deletes the durable of one kind and lays it anew: the last resort when it delivers nothing. */
  async relayConsumer(kind: WorkKind): Promise<void> {
    const { stream, durables } = this.layouts.work;
    const durable = this.link.names.workDurable(kind);
    await this.asking('lay a consumer anew', async (manager) => {
      await manager.consumers.delete(stream.name, durable).catch(unlessMissing);
      const config = durables.find((candidate) => candidate.durable_name === durable);
      await manager.consumers.add(stream.name, config ?? {});
    });
  }

  /** Deletes the stored wake-up of one key, delivered or not. Answers whether there was one. */
  async deleteMessageOf(key: WorkKey): Promise<boolean> {
    const { name } = this.layouts.work.stream;
    return await this.asking('delete a message', async (manager) => {
      const stored = await lastOf(manager, name, this.link.names.work(key));
      return stored !== null && (await manager.streams.deleteMessage(name, stored.seq));
    });
  }

  /** Deletes all wake-ups of a run. Answers how many there were. */
  async purgeRun(runId: RunId): Promise<number> {
    return await this.asking('purge a run', async (manager) => {
      const { name } = this.layouts.work.stream;
      return (await manager.streams.purge(name, { filter: this.link.names.workOfRun(runId) })).purged;
    });
  }

  /** How much work of one kind the stream holds. */
  async pendingOf(kind: WorkKind): Promise<PendingWork> {
    return await this.asking('count pending work', async (manager) => {
      const info = await manager.consumers.info(this.layouts.work.stream.name, this.link.names.workDurable(kind));
      return { waiting: info.num_pending, inFlight: info.num_ack_pending };
    });
  }

  /**
   * Reads the result of one key that waits in its stream, without taking it: it is delivered later all the same.
   * @throws ContractError `malformed_result`
   */
  async storedResult(key: WorkKey): Promise<StoredResult | null> {
    const subject = this.link.names.result(key);
    const stored = await this.asking('read a stored result', (manager) =>
      lastOf(manager, this.layouts.results.stream.name, subject),
    );
    if (stored === null) return null;
    const replyTo = stored.header.get(REPLY_HEADER);
    return {
      message: resultOf(stored, subject),
      sequence: stored.seq,
      traceparent: traceparentOf(stored.header),
      replyTo: replyTo === '' ? null : replyTo,
    };
  }

  private async asking<T>(what: string, ask: (manager: JetStreamManager) => Promise<T>): Promise<T> {
    try {
      return await ask(await this.link.manager());
    } catch (error) {
      throw new InfraError(`cannot ${what}: ${error instanceof Error ? error.message : String(error)}`, {
        code: 'stream_layout',
        phase: 'dispatch',
        cause: error,
      });
    }
  }
}

async function layStream(manager: JetStreamManager, { stream, durables }: StreamLayout): Promise<string> {
  const { name } = stream;
  const found = await manager.streams.info(name).catch(unlessMissing);
  const { created } = found === null ? await manager.streams.add(stream) : await manager.streams.update(name, stream);
  for (const durable of durables) {
    // Not add alone: servers before 2.10 change an existing consumer without a word, later ones refuse (10148).
    const existing = await manager.consumers.info(name, durable.durable_name).catch(unlessMissing);
    if (existing === null) await manager.consumers.add(name, durable);
    else await manager.consumers.update(name, durable.durable_name, durable);
  }
  return created;
}

function unlessMissing(error: unknown): null {
  const { StreamNotFound, ConsumerNotFound } = JetStreamApiCodes;
  if (error instanceof JetStreamApiError && (error.code === StreamNotFound || error.code === ConsumerNotFound)) {
    return null;
  }
  throw error;
}

async function lastOf(manager: JetStreamManager, stream: string, subject: string): Promise<StoredMsg | null> {
  return await manager.streams.getMessage(stream, { last_by_subj: subject });
}

function resultOf(stored: StoredMsg, subject: string): ResultMessage {
  try {
    return ResultMessage.parse(stored.json());
  } catch (error) {
    throw new ContractError(`the stored message of ${subject} is no result`, {
      code: 'malformed_result',
      phase: 'lease',
      cause: error,
    });
  }
}
