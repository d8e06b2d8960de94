import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { z } from 'zod';

const base64 = z.base64({ error: 'expected base64' });

/** A signed payload (https://github.com/secure-systems-lab/dsse/blob/master/envelope.md). */
export const Envelope = z.strictObject({
  payloadType: z.string().min(1),
  payload: base64,
  signatures: z.array(z.strictObject({ keyid: z.string(), sig: base64 })).min(1),
});
export type Envelope = z.infer<typeof Envelope>;

/** Sha256 of the public key's DER form, in hexadecimal: what signatures name their key by. */
export function keyId(key: KeyObject): string {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

/** @param key an ed25519 private key */
export function signEnvelope(payloadType: string, payload: Buffer, key: KeyObject): Envelope {
  const sig = sign(null, signedBytes(payloadType, payload), key).toString('base64');
  return { payloadType, payload: payload.toString('base64'), signatures: [{ keyid: keyId(key), sig }] };
}

/** Who signed: the trusted key, and the key id that its signature names. */
export interface Signer {
  readonly key: KeyObject;
  readonly keyid: string;
}

/**
 * The key that signed the payload, of those that are trusted; null where none did. A signature's key id is a hint only: every
 * trusted key is tried.
 */
export function signerOf(envelope: Envelope, trusted: readonly KeyObject[]): Signer | null {
  const bytes = signedBytes(envelope.payloadType, Buffer.from(envelope.payload, 'base64'));
  for (const key of trusted) {
    const fitting = envelope.signatures.find(({ sig }) => verify(null, bytes, key, Buffer.from(sig, 'base64')));
    if (fitting !== undefined) return { key, keyid: fitting.keyid };
  }
  return null;
}

/** Pre-authentication encoding (https://github.com/secure-systems-lab/dsse/blob/master/protocol.md): lengths in bytes. */
function signedBytes(payloadType: string, payload: Buffer): Buffer {
  const type = Buffer.from(payloadType);
  const head = `DSSEv1 ${type.length} ${payloadType} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}
