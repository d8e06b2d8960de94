import { HttpStatus } from '@nestjs/common';
import type { TokenRefusal } from '@assay/github';
import { Refusal } from '@assay/service-kit';
import type { WorkflowRefusal } from './allowed-workflow';

/** Why a call was not let in, as the audit log has it. */
export type DeniedReason =
  | TokenRefusal
  | WorkflowRefusal
  | 'credentials_missing'
  | 'token_unknown'
  | 'token_revoked'
  | 'token_replayed'
  | 'oidc_off'
  | 'issuer_unreachable'
  | 'scope_missing'
  | 'workflow_not_admitted'
  | 'other_repository'
  | 'event_not_own'
  | 'tag_not_own'
  | 'too_many_calls'
  | 'too_many_failures'
  | 'path_not_valid'
  | 'header_twice'
  | 'host_missing'
  | 'expectation_unknown'
  | 'body_too_large'
  | 'body_too_slow';

/** A refusal whose reason the audit log keeps. */
export class Denied extends Refusal {
  constructor(
    status: number,
    readonly reason: DeniedReason,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(status, message, [], headers);
  }
}

/** 401 with what RFC 6750 wants beside it. */
export function unauthorized(reason: DeniedReason, message: string): Denied {
  const challenge = reason === 'credentials_missing' ? 'Bearer' : 'Bearer error="invalid_token"';
  return new Denied(HttpStatus.UNAUTHORIZED, reason, message, { 'www-authenticate': challenge });
}

/** 429 that says when to come again, in whole seconds. */
export function tooMany(reason: 'too_many_calls' | 'too_many_failures', message: string, waitMs: number): Denied {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new Denied(HttpStatus.TOO_MANY_REQUESTS, reason, `${message}: wait ${seconds} s`, {
    'retry-after': String(seconds),
  });
}
