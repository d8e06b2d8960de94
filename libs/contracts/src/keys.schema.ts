import { z } from 'zod';

/** Answer of `GET /v1/keys`: the public keys that this deployment's results are signed with, the newest first. */
export const PublicKeys = z.strictObject({
  keys: z.array(
    z.strictObject({
      /** Sha256 of the key's DER form (SPKI), hexadecimal: what a signature names it by. */
      keyId: z.string(),
      pem: z.string(),
    }),
  ),
});
export type PublicKeys = z.infer<typeof PublicKeys>;
