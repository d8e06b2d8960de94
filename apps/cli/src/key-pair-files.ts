import { createPublicKey } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { keyId, newSigningKey, readPublicKeys, readSigningKey } from '@assay/evidence';
import { ExitError } from './output';

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

/**
 * The same where there is none yet. A public half that is not there is made from the private one.
 * @throws ExitError where the private half is gone, or the two do not belong together: what was signed would not verify
 */
export function ensureKeyPair(files: KeyPairFiles): void {
  const { privateFile, publicFile } = files;
  if (!existsSync(privateFile)) {
    if (existsSync(publicFile)) {
      throw new ExitError(
        1,
        `${privateFile} is gone, but ${publicFile} is there: put the private key back, or move the public one away to get a ` +
          'new pair (and keep it, to verify what was signed so far)',
      );
    }
    writeKeyPair(files);
    return;
  }
  const key = createPublicKey(readSigningKey(readFileSync(privateFile, 'utf8')));
  if (!existsSync(publicFile)) {
    writeFileSync(publicFile, key.export({ type: 'spki', format: 'pem' }));
    return;
  }
  if (readPublicKeys(readFileSync(publicFile, 'utf8')).some((one) => keyId(one) === keyId(key))) return;
  throw new ExitError(1, `${publicFile} does not hold the public half of ${privateFile}: put the right one there`);
}
