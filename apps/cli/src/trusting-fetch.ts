import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { Agent, fetch as fetchVia } from 'undici';
import { UsageError } from './output';

/** What makes a request: Node's own `fetch`, or one that trusts further certificates. */
export type Fetch = typeof fetch;

/**
 * A `fetch` that trusts the certificates of a PEM file beside those that Node trusts, for servers of one's own: an
 * authority's, or a self-signed one. Names are checked all the same.
 * @throws UsageError naming the file, and what is wrong with it
 */
export function fetchTrusting(caFile: string): Fetch {
  const ca = [...rootCertificates, certificateIn(caFile)];
  const dispatcher = new Agent({ connect: { ca, minVersion: 'TLSv1.2' } });
  // Node's own fetch is an undici, too, but of another version, which may not know this one's agents.
  const trusting = (input: unknown, init: object = {}): unknown => fetchVia(input as string, { ...init, dispatcher });
  return trusting as Fetch;
}

function certificateIn(file: string): string {
  try {
    const pem = readFileSync(file, 'utf8');
    new X509Certificate(pem);
    return pem;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--ca-file (or ASSAY_CA_FILE) ${file}: expected a PEM file with certificates: ${reason}`);
  }
}
