import { existsSync, readFileSync } from 'node:fs';
import { hostname as machineName } from 'node:os';
import { join, resolve } from 'node:path';
import { projectRoot } from './project-root';

/** Of a state folder: the address of the deployment that runs from it, while it does. */
export const ADDRESS_FILE = 'address';

/** Of a state folder: where the dispatcher of a deployment with TLS keeps its certificate and key. */
export const TLS_FOLDER = 'tls';

/** The certificate that such a dispatcher signed itself. */
export const certificateIn = (tlsFolder: string): string => join(tlsFolder, 'cert.pem');

/** The file of the token that `npm start` made; it may not be there. */
export function localTokenFile(): string {
  return inState('secrets/api-token');
}

/** The certificate of `npm start -- --tls` for an address of this machine; null: it is none, or there never was such a start. */
export function localCertificate(url: string): string | null {
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: '', hostname: '' };
  if (protocol !== 'https:' || !['localhost', '127.0.0.1', '[::1]', machineName()].includes(hostname)) return null;
  const file = certificateIn(inState(TLS_FOLDER));
  return existsSync(file) ? file : null;
}

/** The address of what `npm start` runs here; where it runs nothing, the one that it would have by default. */
export function localAddress(): string {
  const file = inState(ADDRESS_FILE);
  const noted = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  return noted === '' ? 'http://127.0.0.1:8080' : noted;
}

/** The folder of the deployment that `npm start` runs here: ASSAY_STATE_DIR, else `.assay` in the checkout. */
export function localState(): string {
  const given = process.env['ASSAY_STATE_DIR'] ?? '';
  return given === '' ? join(projectRoot(), '.assay') : resolve(given);
}

function inState(path: string): string {
  return join(localState(), path);
}
