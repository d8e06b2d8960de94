import type { KeyObject } from 'node:crypto';
import { readSigningKey } from '@assay/evidence';
import { fileSetting, readPrivateFile, type Setting } from '@assay/service-kit';
import { registerSecret } from '@assay/telemetry';

/** The variable names a file; the value is the key in it, checked by the rules of `readPrivateFile`. */
export function signingKeyFile(): Setting<KeyObject> {
  const expected = 'the path of a file with an ed25519 private key (PEM; mode 0600, 0440 or 0400, no link)';
  return fileSetting(expected, (file) => {
    const pem = readPrivateFile(file);
    const key = readSigningKey(pem);
    for (const line of pem.split('\n')) if (/^[A-Za-z0-9+/=]{16,}$/.test(line)) registerSecret(line);
    return key;
  });
}
