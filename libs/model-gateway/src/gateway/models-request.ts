import type { ServerResponse } from 'node:http';
import { Spool } from '../record/spool';
import { askPersistently } from '../upstream/persistent-ask';
import { upstreamHeaders } from '../wire/headers';
import { unavailable, type Refusal } from '../wire/refusal';
import type { Route } from '../wire/routes';
import { refuse } from './client-answer';
import { deliver } from './deliver';
import { breakerOf, type GatewayParts } from './gateway-parts';

const NO_LIST: Refusal = unavailable('assay_upstream_unavailable', 'the provider gives no list of models at present');

type ModelsRoute = Extract<Route, { kind: 'models' }>;

interface ModelsClient {
  /** The trial's key. */
  readonly trial: string;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
}

/** Passes the list of models on. It is no exchange: it counts for nothing and is not recorded. Never rejects. */
export async function conductModels(parts: GatewayParts, route: ModelsRoute, client: ModelsClient): Promise<void> {
  try {
    await passModels(parts, route, client);
  } catch {
    // The client is gone, the trial has ended, or there is no disk; the next exchange tells which.
    refuse(client.response, NO_LIST, route.protocol);
  }
}

async function passModels(
  parts: GatewayParts,
  route: ModelsRoute,
  { trial, response, signal }: ModelsClient,
): Promise<void> {
  const headers = upstreamHeaders({}, { protocol: route.protocol, auth: parts.auth, key: parts.key.reveal() });
  const asked = await askPersistently({
    ...parts,
    policy: { ...parts.retries, tries: 1 },
    send: () => parts.upstream.send({ method: 'GET', path: route.upstreamPath, headers, body: null, signal }),
    breaker: breakerOf(parts, trial),
    signal,
    tries: [],
  });
  if (asked.kind !== 'flowing') {
    refuse(response, NO_LIST, route.protocol);
    return;
  }
  const copy = await Spool.create(parts.spoolDir, 0);
  try {
    const { error } = await deliver(asked, {
      ...route,
      response,
      key: parts.key,
      copy,
      signal,
      onRead: () => undefined,
    });
    if (error === null) asked.pass.worked();
    else asked.pass.abandoned();
  } finally {
    await copy.discard();
  }
}
