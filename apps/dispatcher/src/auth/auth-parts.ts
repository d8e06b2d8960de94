import type { Provider } from '@nestjs/common';
import { OidcVerifier } from '@assay/github';
import { Database } from '@assay/persistence';
import { LOGGER } from '@assay/service-kit';
import type { Logger } from 'pino';
import type { Config } from '../config';
import { SchemaGate } from '../database/schema-gate';
import { AuditLog } from './audit/audit-log';
import { Callers } from './callers';
import { Pruning } from './audit/pruning';
import { RateLimits } from './http/rate-limits';
import { Identification, type OidcDoor } from './identification';
import { ServiceTokens } from './tokens/service-tokens';

const HOUR_MS = 3_600_000;

/** What says who calls, counts calls and writes them down. */
export function authParts(config: Config): Provider[] {
  return [
    ServiceTokens,
    Callers,
    {
      provide: RateLimits,
      useValue: new RateLimits({
        perAddress: config.ASSAY_RATE_PER_ADDRESS,
        perCaller: config.ASSAY_RATE_PER_CALLER,
        failures: config.ASSAY_RATE_FAILURES,
      }),
    },
    {
      provide: Identification,
      inject: [Database, SchemaGate],
      useFactory: (database: Database, gate: SchemaGate) =>
        new Identification({
          database,
          apiToken: config.ASSAY_API_TOKEN_FILE,
          oidc: oidcDoor(config),
          requireSchema: () => gate.canActivate(),
        }),
    },
    {
      provide: AuditLog,
      inject: [Database, LOGGER],
      useFactory: (database: Database, logger: Logger) => new AuditLog({ database, logger }),
    },
    {
      provide: Pruning,
      inject: [Database, SchemaGate, LOGGER],
      useFactory: (database: Database, gate: SchemaGate, logger: Logger) =>
        new Pruning({
          ...{ database, gate, logger },
          keptDays: config.ASSAY_AUDIT_DAYS,
          everyMs: HOUR_MS * config.ASSAY_TIME_SCALE,
        }),
    },
  ];
}

/** Null without an audience: then no token of a workflow is meant for us. */
function oidcDoor(config: Config): OidcDoor | null {
  const { ASSAY_OIDC_ISSUER: issuer, ASSAY_OIDC_AUDIENCE: audience, ASSAY_POLICY_FILE: file } = config;
  if (audience === undefined || file === undefined) return null;
  return { issuer, verifier: new OidcVerifier({ issuer, audience }), access: file.policy.access };
}
