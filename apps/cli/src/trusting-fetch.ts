import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { Agent, fetch as fetchVia } from 'undici';
import { UsageError } from './output';
import { textIn } from './path-option';

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
  const about = { option: '--ca-file (or ASSAY_CA_FILE)', wanted: 'a PEM file with certificates' };
  const pem = textIn(about, file);
  try {
    new X509Certificate(pem);
    return pem;
  } catch {
    throw new UsageError(`${about.option}: expected ${about.wanted}, but ${file} holds none`);
  }
}
