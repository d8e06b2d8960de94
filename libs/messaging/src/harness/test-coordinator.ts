import type { Msg } from '@nats-io/nats-core';
import {
  type ClaimRequest,
  type HeartbeatRequest,
  REPLY_HEADER,
  ResultMessage,
  type ResultReply,
  type RpcName,
  type WorkKey,
} from '@assay/contracts';
import { eventually } from '@assay/testing';
import type { NatsLink } from '../nats/nats-link';
import { messageHeaders, traceparentOf } from '../nats/trace-headers';
import type { RpcReply, RpcRequest } from '../rpc/rpc-types';
import { granted } from './builders';

export interface SeenRequest {
  readonly name: RpcName;
  readonly request: unknown;
  readonly traceparent: string | null;
  readonly at: number;
}

type Answer<N extends RpcName> = (
  request: RpcRequest<N>,
  nth: number,
) => RpcReply<N> | 'silence' | Promise<RpcReply<N>>;

interface Item {
  epoch: number;
  claimId: string | null;
  finished: boolean;
}

/**
 * A coordinator that keeps its state in memory and says what a test wants it to: by default the protocol of design
 * section 3a without leases that run out. It takes the raw messages, so that it can also be silent.
 */
export class TestCoordinator {
  readonly requests: SeenRequest[] = [];
  readonly results: { message: ResultMessage; traceparent: string | null; at: number }[] = [];
  readonly items = new Map<string, Item>();
  /** What a result is answered; null: it is taken from the stream and not answered. */
  onResult: (message: ResultMessage, nth: number) => ResultReply | null = (message) => this.record(message);
  private takesResults = true;
  private idle = false;
  private readonly answers = new Map<RpcName, Answer<RpcName>>();
  private over = false;
  private pulling: Promise<void> = Promise.resolve();

  constructor(private readonly link: NatsLink) {
    this.on('claim', (request) => this.claim(request));
    this.on('heartbeat', (request) => this.heartbeat(request));
    this.on('release', (request) => {
      const beat = this.heartbeat(request);
      if (beat.answer === 'lost') return beat;
      const item = this.item(request.key);
      item.epoch += 1;
      item.claimId = null;
      return { answer: 'ok' };
    });
    this.on('announce', () => ({ answer: 'ok' }));
  }

  /** Answers requests and takes results from now on. */
  start(): this {
    for (const name of ['claim', 'heartbeat', 'release', 'announce'] as const) {
      this.link.connection.subscribe(this.link.names.rpc(name), {
        callback: (_, message) => {
          this.respond(name, message);
        },
      });
    }
    this.pulling = this.takeResults();
    return this;
  }

  /** Lets results stay in their stream, from when this resolves until `takeResultsAgain`. */
  async leaveResults(): Promise<void> {
    this.takesResults = false;
    await eventually(() => this.idle);
  }

  takeResultsAgain(): void {
    this.takesResults = true;
  }

  async stop(): Promise<void> {
    this.over = true;
    await this.pulling;
  }

  /** Replaces how one kind of request is answered. `nth` is 1 for the first since this call. */
  on<N extends RpcName>(name: N, answer: Answer<N>): void {
    let nth = 0;
    this.answers.set(name, ((request: RpcRequest<N>) => answer(request, (nth += 1))) as unknown as Answer<RpcName>);
  }

  seen<N extends RpcName>(name: N): (SeenRequest & { request: RpcRequest<N> })[] {
    return this.requests.filter((seen) => seen.name === name) as (SeenRequest & { request: RpcRequest<N> })[];
  }

  claim(request: ClaimRequest): RpcReply<'claim'> {
    const item = this.item(request.key);
    if (item.finished) return { answer: 'done' };
    if (item.claimId !== null && item.claimId !== request.claimId) return { answer: 'held', retryInMs: 300 };
    if (item.claimId === null) item.epoch += 1;
    item.claimId = request.claimId;
    return granted(request.key, { epoch: item.epoch });
  }

  heartbeat({ key, epoch, claimId }: Pick<HeartbeatRequest, 'key' | 'epoch' | 'claimId'>): RpcReply<'heartbeat'> {
    const item = this.item(key);
    if (item.epoch !== epoch || item.claimId !== claimId) return { answer: 'lost', reason: 'another epoch' };
    return { answer: 'ok', deadline: new Date().toISOString() };
  }

  record({ key, epoch, claimId }: ResultMessage): ResultReply {
    const item = this.item(key);
    if (item.epoch !== epoch || item.claimId !== claimId) return { answer: 'refused', reason: 'another epoch' };
    if (item.finished) return { answer: 'already_recorded' };
    item.finished = true;
    return { answer: 'recorded' };
  }

  /** Takes the work away from whoever holds it, as a grant to another worker does. */
  takeAway(key: WorkKey): void {
    const item = this.item(key);
    item.epoch += 1;
    item.claimId = 'another';
  }

  item(key: WorkKey): Item {
    const name = this.link.names.work(key);
    const item = this.items.get(name) ?? { epoch: 0, claimId: null, finished: false };
    this.items.set(name, item);
    return item;
  }

  private respond(name: RpcName, message: Msg): void {
    const request = message.json<RpcRequest<RpcName>>();
    this.requests.push({ name, request, traceparent: traceparentOf(message.headers), at: performance.now() });
    const answer = this.answers.get(name)?.(request, 0) ?? 'silence';
    if (answer === 'silence') return;
    void Promise.resolve(answer).then((reply) => {
      message.respond(JSON.stringify(reply));
    });
  }

  private async takeResults(): Promise<void> {
    while (!this.over) {
      this.idle = !this.takesResults || !this.link.connected;
      if (this.idle) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        continue;
      }
      try {
        const { resultStream, resultDurable } = this.link.names;
        const consumer = await this.link.jetstream.consumers.get(resultStream, resultDurable);
        const message = await consumer.next({ expires: 1000 });
        if (message === null) continue;
        const result = ResultMessage.parse(message.json());
        this.results.push({ message: result, traceparent: traceparentOf(message.headers), at: performance.now() });
        const reply = this.onResult(result, this.results.length);
        message.ack();
        const inbox = message.headers?.get(REPLY_HEADER) ?? '';
        if (reply !== null)
          this.link.connection.publish(inbox, JSON.stringify(reply), { headers: messageHeaders(null) });
      } catch {
        // The server is down or its streams are gone: some tests do just that.
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }
}
