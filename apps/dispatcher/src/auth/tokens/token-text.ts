import { createHash, randomBytes } from 'node:crypto';

/** Tells a service token from others, for those who look for leaked ones. */
export const TOKEN_PREFIX = 'assay_';

/** A new service token: 256 random bits. */
export function newTokenText(): string {
  return `${TOKEN_PREFIX}${randomBytes(32).toString('base64url')}`;
}

/** What of a token is stored. It is random and long, so a plain hash cannot be guessed back. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
