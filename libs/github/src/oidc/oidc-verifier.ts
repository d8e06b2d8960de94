import { createRemoteJWKSet, jwtVerify, type JWTPayload } from 'jose';
import { refused, type TokenVerdict, verdictOn } from './token-verdict';
import { WorkflowClaims } from './workflow-claims';

export interface OidcOptions {
  /** e.g. `https://token.actions.githubusercontent.com`; its keys are at `/.well-known/jwks` below it. */
  readonly issuer: string;
  /** What the token must be made for, and for nothing else. */
  readonly audience: string;
}

/** Seconds that the clocks of issuer and verifier may differ. */
export const CLOCK_TOLERANCE_SECONDS = 30;

/** Seconds since its making after which a token is refused, whatever it says itself; GitHub's last five minutes. */
export const MAX_TOKEN_AGE_SECONDS = 600;

/** Keys are asked for again after ten minutes, and for a name that is not known at most every 30 seconds. */
const KEYS = { cooldownDuration: 30_000, cacheMaxAge: 600_000, timeoutDuration: 5_000 };

/** Checks tokens of GitHub Actions: whose they are, for whom, and how old. Not whether they were used before. */
export class OidcVerifier {
  private readonly keys: ReturnType<typeof createRemoteJWKSet>;

  constructor(private readonly options: OidcOptions) {
    this.keys = createRemoteJWKSet(new URL(`${options.issuer}/.well-known/jwks`), KEYS);
  }

  async verify(token: string): Promise<TokenVerdict> {
    const { issuer, audience } = this.options;
    try {
      const { payload, protectedHeader } = await jwtVerify(token, this.keys, {
        issuer,
        audience,
        algorithms: ['RS256'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        maxTokenAge: MAX_TOKEN_AGE_SECONDS,
        requiredClaims: ['iss', 'aud', 'exp', 'iat', 'jti'],
      });
      // Without a name the token would be tried with any key that the issuer has.
      if (protectedHeader.kid === undefined) return refused('key_unknown', 'the token does not name its key');
      return this.claimsOf(payload);
    } catch (error) {
      return verdictOn(error);
    }
  }

  private claimsOf(payload: JWTPayload): TokenVerdict {
    // jose is content with one audience among several: then the token is for others, too, and they can use it here.
    if (payload.aud !== this.options.audience) {
      return refused('audience_wrong', "the token's claim aud is not one text");
    }
    const claims = WorkflowClaims.safeParse(payload);
    if (claims.success) return { answer: 'verified', claims: claims.data };
    const names = [...new Set(claims.error.issues.map(({ path }) => path.join('.')))].join(', ');
    return refused('claim_wrong', `the token's claims are missing or not valid: ${names}`);
  }
}

/** Seconds since 1970 after which no verifier takes the token, so that its use need not be remembered. */
export function lastUseOf({ exp, iat }: Pick<WorkflowClaims, 'exp' | 'iat'>): number {
  return Math.min(exp, iat + MAX_TOKEN_AGE_SECONDS) + CLOCK_TOLERANCE_SECONDS;
}
