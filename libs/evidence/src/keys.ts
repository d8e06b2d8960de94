import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { ContractError } from '@assay/failures';

/** A new ed25519 pair as PEM texts: the private one for a file of mode 0400, the public one for everybody. */
export function newSigningKey(): { readonly privatePem: string; readonly publicPem: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return { privatePem: privateKey, publicPem: publicKey };
}

/**
 * @param pem PKCS #8
 * @throws ContractError `signing_key_invalid`; its message never holds the text
 */
export function readSigningKey(pem: string): KeyObject {
  return ed25519(() => createPrivateKey(pem), 'an ed25519 private key in PEM (PKCS #8)');
}

/**
 * All public keys of a PEM text, one after another, so that a file can keep the keys of earlier results.
 * @throws ContractError `signing_key_invalid` where it has none, or one that is no ed25519 key
 */
export function readPublicKeys(pem: string): KeyObject[] {
  const blocks = pem.match(/-----BEGIN [A-Z ]+-----[\s\S]*?-----END [A-Z ]+-----/g) ?? [];
  if (blocks.length === 0) throw invalid('an ed25519 public key in PEM (SPKI)', 'no PEM block');
  return blocks.map((block) => {
    // createPublicKey would take a private key and derive the public one: nobody is to hand that around.
    if (/PRIVATE/.test(block)) throw invalid('an ed25519 public key in PEM (SPKI)', 'a private key');
    return ed25519(() => createPublicKey(block), 'an ed25519 public key in PEM (SPKI)');
  });
}

function ed25519(read: () => KeyObject, expected: string): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch {
    throw invalid(expected, 'text that is no such key');
  }
  if (key.asymmetricKeyType !== 'ed25519') throw invalid(expected, `a key of type ${key.asymmetricKeyType ?? 'none'}`);
  return key;
}

function invalid(expected: string, found: string): ContractError {
  return new ContractError(`the signing key is not usable: expected ${expected}, got ${found}`, {
    code: 'signing_key_invalid',
    phase: 'publish',
  });
}
