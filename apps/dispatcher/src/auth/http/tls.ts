import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { readPrivateFile, reasonOf, StartError } from '@assay/service-kit';
import { generate } from 'selfsigned';

/** PEM texts of a server, and how people tell its certificate from another. */
export interface ServerCertificate {
  readonly cert: string;
  readonly key: string;
  /** sha256 of the certificate, as browsers and openssl show it. */
  readonly fingerprint: string;
  readonly expiresAt: Date;
}

/** @throws StartError naming the file, and what is wrong with it */
export function certificateFrom(certFile: string, keyFile: string): ServerCertificate {
  const cert = attempt(`ASSAY_TLS_CERT_FILE ${certFile}`, () => readFileSync(certFile, 'utf8'));
  const key = attempt(`ASSAY_TLS_KEY_FILE ${keyFile}`, () => readPrivateFile(keyFile));
  const shown = attempt(`ASSAY_TLS_CERT_FILE ${certFile}`, () => described(cert));
  attempt(`ASSAY_TLS_KEY_FILE ${keyFile}`, () => {
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
      throw new Error('expected the key of the certificate in ASSAY_TLS_CERT_FILE');
    }
  });
  return { cert, key, ...shown };
}

/** A certificate is good for a year, and made anew in its last month. */
const DAY_MS = 86_400_000;
const GOOD_FOR_DAYS = 365;
const RENEWED_DAYS = 30;

/** Kinds of names in a certificate (RFC 5280, 4.2.1.6). */
const DNS = 2;
const IP = 7;

/**
 * The self-signed certificate of a folder (`cert.pem`, `key.pem`): made where there is none, or none that holds for
 * another month. It names this machine: localhost, its name, and the loopback addresses.
 */
export async function selfSigned(dir: string, now = new Date()): Promise<ServerCertificate> {
  const files = { cert: join(dir, 'cert.pem'), key: join(dir, 'key.pem') };
  const kept = keptCertificate(files);
  if (kept !== null && kept.expiresAt.getTime() - now.getTime() > RENEWED_DAYS * DAY_MS) return kept;
  const made = await generate([{ name: 'commonName', value: 'assay (self-signed)' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(now.getTime() - DAY_MS),
    notAfterDate: new Date(now.getTime() + GOOD_FOR_DAYS * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: DNS, value: 'localhost' },
          { type: DNS, value: hostname() },
          { type: IP, ip: '127.0.0.1' },
          { type: IP, ip: '::1' },
        ],
      },
    ],
  });
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  writeFileSync(files.key, made.private, { mode: 0o600 });
  writeFileSync(files.cert, made.cert, { mode: 0o644 });
  return certificateFrom(files.cert, files.key);
}

function keptCertificate({ cert, key }: { cert: string; key: string }): ServerCertificate | null {
  try {
    return certificateFrom(cert, key);
  } catch {
    // None, or one that cannot be used: another one is made in its place.
    return null;
  }
}

function described(pem: string): Pick<ServerCertificate, 'fingerprint' | 'expiresAt'> {
  const { fingerprint256, validTo } = new X509Certificate(pem);
  return { fingerprint: fingerprint256, expiresAt: new Date(validTo) };
}

function attempt<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new StartError(`${what}: ${reasonOf(error)}`, error);
  }
}
