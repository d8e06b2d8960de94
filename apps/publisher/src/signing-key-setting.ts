import type { KeyObject } from 'node:crypto';
import { ContractError } from '@assay/failures';
import { readSigningKey } from '@assay/evidence';
import { readPrivateFile, UnsafeSecretFile } from '@assay/service-kit';
import { registerSecret } from '@assay/telemetry';
import { z } from 'zod';

const EXPECTED = 'the path of a file with an ed25519 private key (PEM; mode 0600, 0440 or 0400, no link)';

/** The variable names a file; the value is the key in it, checked by the rules of `readPrivateFile`. */
export function signingKeyFile() {
  return z
    .string({ error: `expected ${EXPECTED}` })
    .transform((path, context): KeyObject => {
      try {
        return keyIn(path);
      } catch (error) {
        if (!(error instanceof UnsafeSecretFile) && !(error instanceof ContractError)) throw error;
        context.addIssue({ code: 'custom', message: `expected ${EXPECTED}, but ${error.message}` });
        return z.NEVER;
      }
    })
    .meta({ expected: EXPECTED, fallback: null, secret: false });
}

function keyIn(path: string): KeyObject {
  const pem = readPrivateFile(path);
  const key = readSigningKey(pem);
  for (const line of pem.split('\n')) if (/^[A-Za-z0-9+/=]{16,}$/.test(line)) registerSecret(line);
  return key;
}
