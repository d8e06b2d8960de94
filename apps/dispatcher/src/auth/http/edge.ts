import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { HttpServing, ServiceKit } from '@assay/service-kit';
import type { Config } from '../../config';
import { MAX_SET_BYTES } from '../../predictions/prediction-intake';
import { auditCalls } from '../audit/audit-calls';
import { AuditLog } from '../audit/audit-log';
import { type BodyRule, boundedBodies } from './bounded-bodies';
import { answerBrokenRequests } from './broken-requests';
import { Callers } from '../callers';
import { countedCalls } from './counted-calls';
import { knownSenders, welcomedBodies } from './known-senders';
import { plainRequests } from './plain-requests';
import { RateLimits } from './rate-limits';
import { certificateFrom, selfSigned, type ServerCertificate } from './tls';

/** Bytes of a JSON body; the parser holds to the same number where none is announced. */
const JSON_BYTES = 65_536;

/** Time for a whole set of predictions, the largest body that there is. */
const SET_MS = 3_600_000;

/** How the dispatcher listens. */
export async function serving(config: Config, { logger }: Pick<ServiceKit, 'logger'>): Promise<HttpServing> {
  const tls = await certificateOf(config);
  if (tls !== null) {
    const { fingerprint, expiresAt } = tls;
    logger.info(
      { fingerprint, expiresAt, selfSignedDir: config.ASSAY_TLS_SELF_SIGNED_DIR },
      'certificate of the server',
    );
  }
  const { ASSAY_HEADERS_TIMEOUT_MS: headersTimeoutMs } = config;
  return {
    tls: tls === null ? null : { cert: tls.cert, key: tls.key },
    headersTimeoutMs,
    requestTimeoutMs: Math.max(SET_MS, headersTimeoutMs),
    checksEveryMs: Math.max(10, Math.min(5_000, Math.floor(headersTimeoutMs / 2))),
    maxConnections: config.ASSAY_MAX_CONNECTIONS,
  };
}

async function certificateOf(config: Config): Promise<ServerCertificate | null> {
  const { ASSAY_TLS_CERT_FILE: cert, ASSAY_TLS_KEY_FILE: key, ASSAY_TLS_SELF_SIGNED_DIR: dir } = config;
  if (cert !== undefined && key !== undefined) return certificateFrom(cert, key);
  return dir === undefined ? null : selfSigned(dir);
}

/**
 * What every request passes before it is routed: it is recorded, must be plain, is counted, and its body is of somebody who
 * is known, and is watched.
 */
export function prepareEdge(app: NestExpressApplication, config: Config): void {
  const log = app.get(AuditLog);
  app.set('trust proxy', config.ASSAY_TRUSTED_PROXIES ?? false);
  const server: Server = app.getHttpServer();
  answerBrokenRequests(server, log);
  // Node would tell every sender to go on before anybody has looked at the headers, and answer other expectations unseen.
  for (const event of ['checkContinue', 'checkExpectation']) {
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      server.emit('request', request, response);
    });
  }
  app.use(
    auditCalls(log),
    plainRequests(),
    countedCalls(app.get(RateLimits)),
    knownSenders(app.get(Callers)),
    boundedBodies(bodyRules(config.ASSAY_BODY_TIMEOUT_MS)),
    welcomedBodies(),
  );
}

function bodyRules(timeoutMs: number): (method: string, path: string) => BodyRule {
  const json = { maxBytes: JSON_BYTES, wholeMs: timeoutMs, idleMs: timeoutMs };
  const set = { maxBytes: MAX_SET_BYTES, wholeMs: SET_MS, idleMs: timeoutMs };
  return (method, path) => (method === 'POST' && /^\/v1\/predictions\/?$/i.test(path) ? set : json);
}
