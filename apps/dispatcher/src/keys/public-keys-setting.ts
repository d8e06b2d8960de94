import { readFileSync } from 'node:fs';
import type { PublicKeys } from '@assay/contracts';
import { keyId, readPublicKeys } from '@assay/evidence';
import { z } from 'zod';

const EXPECTED = 'the path of a file with public keys (ed25519, PEM), the newest first';

/** The variable names a file; the value is the keys in it, as the API tells them. */
export function publicKeysFile() {
  return z
    .string({ error: `expected ${EXPECTED}` })
    .transform((file, context): PublicKeys => {
      try {
        const keys = readPublicKeys(readFileSync(file, 'utf8'));
        return {
          keys: keys.map((key) => ({ keyId: keyId(key), pem: key.export({ type: 'spki', format: 'pem' }).toString() })),
        };
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        context.addIssue({ code: 'custom', message: `expected ${EXPECTED}, but ${reason}` });
        return z.NEVER;
      }
    })
    .meta({ expected: EXPECTED, fallback: null, secret: false });
}
