import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TrialSession } from '../access/trial-session';
import type { ResponseMeter } from '../metering/response-meter';
import { PICO_PER_USD } from '../pricing/price-list';
import type { RecordedTry } from '../record/exchange-line.schema';
import type { Spool } from '../record/spool';
import { askPersistently, type Asked } from '../upstream/persistent-ask';
import { clientHeaders, recordedHeaders, upstreamHeaders } from '../wire/headers';
import { badRequest, unavailable, type Refusal } from '../wire/refusal';
import type { Route } from '../wire/routes';
import { refuse, sendWhole } from './client-answer';
import { deliver } from './deliver';
import { breakerVerdict, endOfReply, endOfWaiting, failedBy, providerFailed, withoutKey, type Ending } from './ending';
import { ExchangeBill } from './exchange-bill';
import { breakerOf, type GatewayParts } from './gateway-parts';
import type { TakenRequest } from './request-intake';

export interface ExchangeContext {
  readonly parts: GatewayParts;
  readonly session: TrialSession;
  readonly route: Extract<Route, { kind: 'completion' }>;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted when the client goes away or the trial ends. */
  readonly signal: AbortSignal;
}

/** One request that was let through, from the first try to the line in the record. */
export class Exchange {
  private readonly bill: ExchangeBill;
  private readonly begin: number;
  private readonly tries: RecordedTry[] = [];
  private firstTokenMs: number | null = null;
  private answered: { status: number | null; headers: Record<string, string> } = { status: null, headers: {} };

  constructor(
    private readonly context: ExchangeContext,
    private readonly taken: TakenRequest,
    private readonly copy: Spool,
  ) {
    const { session, parts } = context;
    this.bill = new ExchangeBill(session, parts.prices, { model: taken.model, bytes: taken.body.bytes });
    this.begin = parts.clock.now();
  }

  async run(id: number): Promise<void> {
    const { session, parts, route, request } = this.context;
    const { recorder } = session;
    const { protocol, upstreamPath: path } = route;
    const { model, body } = this.taken;
    const at = new Date(this.begin).toISOString();
    const headers = recordedHeaders(request.headers);
    const requestWritten = recorder.request({ type: 'request', id, at, protocol, path, model, headers }, body);
    const { end, failure } = withoutKey(
      await this.exchange().catch((error: unknown) => this.breaks(error)),
      parts.keyRedactor,
    );
    const { estimated, ...charge } = this.bill.result;
    session.notes.ended(end, failure);
    session.notes.measured({ estimated, firstTokenMs: this.firstTokenMs });
    const now = parts.clock.now();
    await requestWritten;
    await recorder.response(
      {
        type: 'response',
        id,
        at: new Date(now).toISOString(),
        end,
        ...this.answered,
        reason: failure?.message ?? null,
        tries: this.tries,
        firstTokenMs: this.firstTokenMs,
        durationMs: now - this.begin,
        tokens: charge.tokens,
        estimated,
        costUsd: charge.cost === null ? null : charge.cost / PICO_PER_USD,
      },
      this.copy,
    );
  }

  private async exchange(): Promise<Ending> {
    const { parts, route, request, signal } = this.context;
    const headers = upstreamHeaders(request.headers, {
      protocol: route.protocol,
      auth: parts.auth,
      key: parts.key.reveal(),
    });
    const { body } = this.taken;
    const asked = await askPersistently({
      ...parts,
      policy: parts.retries,
      send: () => parts.upstream.send({ method: 'POST', path: route.upstreamPath, headers, body, signal }),
      breaker: breakerOf(parts, this.context.session.key),
      signal,
      tries: this.tries,
    });
    switch (asked.kind) {
      case 'flowing':
        return this.flowing(asked);
      case 'refused':
        return this.refused(asked);
      case 'silent':
        this.say(
          unavailable('assay_upstream_unavailable', 'the model cannot be reached at present', asked.retryAfterMs),
        );
        return providerFailed(asked.reason);
    }
  }

  private async flowing(asked: Extract<Asked, { kind: 'flowing' }>): Promise<Ending> {
    const { parts, route, response, signal } = this.context;
    this.answered = { status: asked.status, headers: clientHeaders(asked.headers, parts.key.reveal()) };
    const { meter, error } = await deliver(asked, {
      response,
      protocol: route.protocol,
      key: parts.key,
      copy: this.copy,
      signal,
      onRead: (read) => {
        this.reads(read);
      },
    });
    this.bill.settle(meter.reading);
    const ending = withoutKey(endOfReply(meter.reading, error, signal.aborted), parts.keyRedactor);
    asked.pass[breakerVerdict(ending)](ending.failure?.message ?? '', null);
    return ending;
  }

  private reads({ reading }: ResponseMeter): void {
    this.bill.told(reading);
    if (reading.generated > 0) this.firstTokenMs ??= this.context.parts.clock.now() - this.begin;
  }

  /** Every other answer of the provider. One that refuses our key says too much about it to be passed on. */
  private async refused({
    status,
    headers,
    body,
    reason,
    configuration,
  }: Extract<Asked, { kind: 'refused' }>): Promise<Ending> {
    const { parts, response } = this.context;
    const unreadable = (headers['content-encoding'] ?? 'identity') !== 'identity';
    if (status < 400 || status === 401 || status === 403 || unreadable) {
      const message = `the provider refused (${status}); the gateway keeps what it said`;
      this.say({ ...badRequest('assay_upstream_refused', message), status: status < 400 ? 503 : status });
    } else {
      this.answered = { status, headers: clientHeaders(headers, parts.key.reveal()) };
      sendWhole(response, status, this.answered.headers, parts.keyRedactor.all(body));
    }
    await this.copy.write(body);
    return reason === null ? { end: 'client_error', failure: null } : providerFailed(reason, configuration);
  }

  /** Nobody was there to hear the answer, or the gateway itself could not go on. */
  private breaks(error: unknown): Ending {
    if (this.context.signal.aborted) return endOfWaiting(this.tries);
    this.say(unavailable('assay_gateway_failure', 'the gateway to the model has failed'));
    return failedBy(error);
  }

  private say(refusal: Refusal): void {
    this.answered = { status: refusal.status, headers: { ...refusal.headers } };
    refuse(this.context.response, refusal, this.context.route.protocol);
  }
}
