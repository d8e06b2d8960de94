import { readFileSync } from 'node:fs';
import type { PublicKeys } from '@assay/contracts';
import { keyId, readPublicKeys } from '@assay/evidence';
import { fileSetting, type Setting } from '@assay/service-kit';

/** The variable names a file; the value is the keys in it, as the API tells them. */
export function publicKeysFile(): Setting<PublicKeys> {
  return fileSetting('the path of a file with public keys (ed25519, PEM), the newest first', (file) => ({
    keys: readPublicKeys(readFileSync(file, 'utf8')).map((key) => ({
      keyId: keyId(key),
      pem: key.export({ type: 'spki', format: 'pem' }).toString(),
    })),
  }));
}
