import { createPublicKey } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { keyId, newSigningKey, readPublicKeys, readSigningKey } from '@assay/evidence';

/** Where the two halves of a signing key lie. */
export interface KeyPairFiles {
  readonly privateFile: string;
  readonly publicFile: string;
}

/** Makes a pair; the private half is for its owner alone. Rejects nothing silently: a file that is there is an error. */
export function writeKeyPair({ privateFile, publicFile }: KeyPairFiles): { readonly id: string } {
  const { privatePem, publicPem } = newSigningKey();
  writeFileSync(privateFile, privatePem, { mode: 0o400, flag: 'wx' });
  chmodSync(privateFile, 0o400);
  writeFileSync(publicFile, publicPem, { flag: 'wx' });
  return { id: readPublicKeys(publicPem).map(keyId).join() };
}

/** The same where there is none yet. A public half that is not there is made from the private one. */
export function ensureKeyPair(files: KeyPairFiles): void {
  if (!existsSync(files.privateFile)) {
    writeKeyPair(files);
    return;
  }
  if (existsSync(files.publicFile)) return;
  const key = createPublicKey(readSigningKey(readFileSync(files.privateFile, 'utf8')));
  writeFileSync(files.publicFile, key.export({ type: 'spki', format: 'pem' }));
}
