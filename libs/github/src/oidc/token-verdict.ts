import { types } from 'node:util';
import { errors } from 'jose';
import type { WorkflowClaims } from './workflow-claims';

export type TokenRefusal =
  | 'token_malformed'
  | 'algorithm_not_allowed'
  | 'key_unknown'
  | 'signature_wrong'
  | 'issuer_wrong'
  | 'audience_wrong'
  | 'token_expired'
  | 'token_not_yet_valid'
  | 'claim_wrong';

/** `unavailable`: nothing is known of the token, because the issuer's keys cannot be had. */
export type TokenVerdict =
  | { readonly answer: 'verified'; readonly claims: WorkflowClaims }
  | { readonly answer: 'refused'; readonly reason: TokenRefusal; readonly message: string }
  | { readonly answer: 'unavailable'; readonly message: string };

/**
 * What jose's error says about the token. Whatever is not an error about a token was met on the way to the keys, and is
 * nothing that the caller did.
 */
export function verdictOn(error: unknown): TokenVerdict {
  if (error instanceof errors.JWTExpired) {
    const message = error.claim === 'iat' ? 'the token was made too long ago' : 'the token is expired';
    return refused('token_expired', message);
  }
  if (error instanceof errors.JWTClaimValidationFailed) {
    return refused(claimRefusal(error), `the token's claim ${error.claim} is not what it must be`);
  }
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return refused('algorithm_not_allowed', 'the token is not signed by RS256');
  }
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) {
    return refused('key_unknown', 'the issuer has no key of the name that the token gives');
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return refused('signature_wrong', "the token's signature is not the issuer's");
  }
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid || isNotSupported(error)) {
    return refused('token_malformed', 'the token is not a signed JSON Web Token');
  }
  return { answer: 'unavailable', message: `the issuer's keys cannot be had: ${reasonOf(error)}` };
}

export function refused(reason: TokenRefusal, message: string): TokenVerdict {
  return { answer: 'refused', reason, message };
}

/** e.g. a header `crit` that nobody here understands. */
function isNotSupported(error: unknown): boolean {
  return error instanceof errors.JOSENotSupported;
}

function claimRefusal({ claim, reason }: errors.JWTClaimValidationFailed): TokenRefusal {
  if (reason === 'check_failed' && (claim === 'nbf' || claim === 'iat')) return 'token_not_yet_valid';
  if (claim === 'iss') return 'issuer_wrong';
  return claim === 'aud' ? 'audience_wrong' : 'claim_wrong';
}

function reasonOf(error: unknown): string {
  // Not `instanceof`: fetch throws errors of Node's own realm, which is not the tests'.
  if (!types.isNativeError(error)) return String(error);
  return types.isNativeError(error.cause) ? `${error.message} (${error.cause.message})` : error.message;
}
