import type { KeyObject } from 'node:crypto';
import { readSigningKey } from '@assay/evidence';
import { reasonOf, secretFile } from '@assay/service-kit';
import { z } from 'zod';

/** The variable names a file; the value is the key in it, checked by the rules of secret files. */
export function signingKeyFile() {
  const expected = 'the path of a file with an ed25519 private key (PEM; mode 0600, 0440 or 0400, no link)';
  const file = secretFile();
  return z
    .string({ error: `expected ${expected}` })
    .transform((path, context): KeyObject => {
      try {
        return readSigningKey(file.parse(path));
      } catch (error) {
        const reason = error instanceof z.ZodError ? (error.issues[0]?.message ?? '') : reasonOf(error);
        context.addIssue({ code: 'custom', message: `expected ${expected}, but ${reason}` });
        return z.NEVER;
      }
    })
    .meta({ expected, fallback: null, secret: false });
}
