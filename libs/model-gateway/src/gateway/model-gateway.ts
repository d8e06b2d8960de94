import { randomBytes } from 'node:crypto';
import { mkdtemp, mkdir, rm } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type FailureCode, InfraError } from '@assay/failures';
import { BudgetAccount } from '../access/budget';
import type { GatewayUsage } from '../access/gateway-usage';
import { TrialRegistry } from '../access/trial-registry';
import { tokenHash, TrialSession } from '../access/trial-session';
import { systemClock } from '../clock/gateway-clock';
import { ExchangeRecorder } from '../record/exchange-recorder';
import { Redactor } from '../record/redactor';
import { CircuitBreaker, DEFAULT_CIRCUIT, type GatewayHealth } from '../upstream/circuit-breaker';
import { readKeyFile } from '../upstream/key-file';
import { ModelKey } from '../upstream/model-key';
import { DEFAULT_RETRIES } from '../upstream/retry.policy';
import { DEFAULT_PATIENCE, UpstreamClient } from '../upstream/upstream.client';
import { shownTokens } from '../wire/headers';
import { UNKNOWN_PATH, WRONG_TOKEN } from '../wire/refusal';
import { routeOf, type Protocol, type Route } from '../wire/routes';
import { abortedWith, refuse } from './client-answer';
import { conductExchange } from './conduct-exchange';
import type { GatewayOptions, OpenTrial, TrialRequest } from './gateway-options';
import { DEFAULT_BOUNDS, type GatewayParts } from './gateway-parts';
import { closed, httpServer, listenOnLoopback, listenOnSocket } from './listeners';
import { conductModels } from './models-request';

/**
 * The only way from a sandbox to a model: an HTTP server that takes a trial's token, puts in the real key, passes requests
 * on to one provider and replies back byte for byte, counts, bounds and records.
 */
export class ModelGateway {
  private readonly trials = new TrialRegistry();
  private readonly parts: GatewayParts;
  private readonly servers: Server[] = [];
  private port: number | null = null;

  private constructor(
    private readonly options: GatewayOptions,
    parts: Omit<GatewayParts, 'openTrials'>,
  ) {
    this.parts = { ...parts, openTrials: () => this.trials.size };
  }

  /**
   * Reads the key, listens, and is ready for trials.
   * @throws InfraError `model_key_unsafe`, `model_base_url_invalid`, `gateway_not_listening`; the file system's own errors
   */
  static async start(options: GatewayOptions): Promise<ModelGateway> {
    const key = new ModelKey(readKeyFile(options.upstream.keyFile));
    options.registerSecret?.(key.reveal());
    const clock = options.clock ?? systemClock;
    const upstream = new UpstreamClient(options.upstream.baseUrl, { ...DEFAULT_PATIENCE, ...options.patience }, clock);
    await mkdir(options.spoolDir, { recursive: true, mode: 0o700 });
    const gateway = new ModelGateway(options, {
      key,
      auth: options.upstream.auth ?? 'protocol',
      upstream,
      breaker: new CircuitBreaker({ ...DEFAULT_CIRCUIT, ...options.circuit }),
      prices: options.prices,
      keyRedactor: new Redactor([key.reveal()]),
      spoolDir: await mkdtemp(join(options.spoolDir, 'gateway-')),
      bounds: { ...DEFAULT_BOUNDS, ...options.bounds },
      retries: { ...DEFAULT_RETRIES, ...options.retries },
      serverTools: options.serverTools ?? 'refuse',
      clock,
      random: options.random ?? Math.random,
      onHealthChange: options.onHealthChange ?? (() => undefined),
    });
    try {
      await gateway.listen();
      return gateway;
    } catch (error) {
      await gateway.stop();
      throw error;
    }
  }

  /** `http://127.0.0.1:<port>`, for sandboxes that share this machine's network; null: not asked for. */
  get loopbackUrl(): string | null {
    return this.port === null ? null : `http://127.0.0.1:${this.port}`;
  }

  /**
   * Lets a trial in. Its token works until `close`, which cuts what is open, ends the record and gives the final usage.
   * @throws InfraError `gateway_trial_open` when the key is open already, `model_unpriced` for a budget of money without
   *   prices; the file system's error when the record cannot be made
   */
  async open(trial: TrialRequest): Promise<OpenTrial> {
    if (this.trials.has(trial.key)) throw refusal('gateway_trial_open', `the trial ${trial.key} is open already`);
    const { clock, prices, key, bounds } = this.parts;
    if (trial.budgets.costUsd !== null && prices === null) {
      throw refusal('model_unpriced', 'a trial with a budget of money needs a price file');
    }
    const token = trial.token ?? `assay-${randomBytes(32).toString('base64url')}`;
    if (token.length < SHORTEST_TOKEN)
      throw refusal('gateway_token_weak', `a token needs ${SHORTEST_TOKEN} characters`);
    this.options.registerSecret?.(token);
    const now = clock.now();
    const begin = { type: 'begin', version: 1, trial: trial.key, at: new Date(now).toISOString() } as const;
    const recorder = await ExchangeRecorder.open(
      trial.recordFile,
      begin,
      new Redactor([key.reveal(), token]),
      bounds.recordBytes,
    );
    const session = new TrialSession({
      key: trial.key,
      tokenHash: tokenHash(token),
      account: new BudgetAccount(trial.budgets, now),
      run: trial.run ?? null,
      recorder,
      clock,
      atOnce: bounds.atOnce,
      onLimit: trial.onLimit ?? (() => undefined),
    });
    this.trials.add(session);
    return { token, usage: () => session.usage(), close: () => this.close(session) };
  }

  /** Whether the provider can be worked with at present. */
  health(): GatewayHealth {
    return this.parts.breaker.health(this.parts.clock.now());
  }

  /** Whether one more trial may be claimed: none while the circuit is open, and one alone, the probe, after that. */
  mayClaim(): boolean {
    const { state } = this.health();
    return state === 'closed' || (state === 'half_open' && this.trials.size === 0);
  }

  /** Closes every trial, then the server. */
  async stop(): Promise<void> {
    await Promise.all(this.trials.all().map((session) => this.close(session)));
    await Promise.all(this.servers.map(closed));
    this.parts.upstream.close();
    await rm(this.parts.spoolDir, { recursive: true, force: true });
  }

  private close(session: TrialSession): Promise<GatewayUsage> {
    this.trials.remove(session);
    return session.close();
  }

  private async listen(): Promise<void> {
    const { socketPath, loopbackPort } = this.options.listen;
    const server = (): Server => {
      const made = httpServer((request, response) => void this.answer(request, response));
      this.servers.push(made);
      return made;
    };
    if (socketPath !== null) await listenOnSocket(server(), socketPath);
    if (loopbackPort !== null) this.port = await listenOnLoopback(server(), loopbackPort);
  }

  /** Never rejects. */
  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const route = routeOf(request.method ?? '', request.url ?? '');
    if (route === null) {
      refuse(response, UNKNOWN_PATH, protocolOf(request), true);
      return;
    }
    const session = this.trials.holderOf(shownTokens(request.headers));
    if (session === null) {
      refuse(response, WRONG_TOKEN, route.protocol, true);
      return;
    }
    const controller = abortedWith(response);
    const io = { request, response, signal: controller.signal };
    const busy = await session.run(controller, () => this.conduct(session, route, io));
    if (busy !== null) {
      session.refused(busy, request.url ?? '');
      refuse(response, busy, route.protocol, true);
    }
  }

  private conduct(
    session: TrialSession,
    route: Route,
    { request, response, signal }: { request: IncomingMessage; response: ServerResponse; signal: AbortSignal },
  ): Promise<void> {
    switch (route.kind) {
      case 'completion':
        return conductExchange({ parts: this.parts, session, route, request, response, signal });
      case 'models':
        return conductModels(this.parts, route, { trial: session.key, response, signal });
    }
  }
}

/** Fewer could be guessed. */
const SHORTEST_TOKEN = 32;

/** What a client seems to speak that asks for a path that there is not. */
function protocolOf({ headers }: IncomingMessage): Protocol {
  if (headers['anthropic-version'] !== undefined) return 'messages';
  return headers['x-goog-api-key'] === undefined ? 'chat' : 'gemini';
}

function refusal(code: FailureCode, message: string): InfraError {
  return new InfraError(message, { code, phase: 'prepare' });
}
