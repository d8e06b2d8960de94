import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PublicKeys } from '@assay/contracts';
import { readPublicKeys } from '@assay/evidence';
import { ApiError } from '../api.client';
import { fetchFor } from '../connection';
import { localState } from '../local-deployment';
import { UsageError } from '../output';
import { textIn } from '../path-option';
import type { Fetch } from '../trusting-fetch';

export interface KeyOptions {
  /** Files of public keys. */
  readonly key?: readonly string[];
  /** A server whose keys are trusted. */
  readonly url?: string;
  readonly caFile?: string;
}

/**
 * The keys that a signature may be of: those of the files, those that the server tells, else that of `npm start`.
 * @throws UsageError where there is none, or a file holds none
 */
export async function trustedKeys({ key: files = [], url, caFile }: KeyOptions): Promise<KeyObject[]> {
  const local = join(localState(), 'signing-key.pub');
  const given = files.length > 0 || url !== undefined ? files : existsSync(local) ? [local] : [];
  const keys = [...given.flatMap(keysIn), ...(url === undefined ? [] : await keysOf(url, fetchFor(url, caFile)))];
  if (keys.length > 0) return keys;
  throw new UsageError('no key to verify with: give --key FILE with the public key, or --url of the server that signs');
}

function keysIn(file: string): KeyObject[] {
  const pem = textIn({ option: '--key', wanted: 'a PEM file with public keys' }, file);
  try {
    return readPublicKeys(pem);
  } catch (error) {
    throw new UsageError(`--key ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function keysOf(url: string, fetching: Fetch): Promise<KeyObject[]> {
  const address = `${url.replace(/\/+$/, '')}/v1/keys`;
  const answer = await fetching(address, { signal: AbortSignal.timeout(30_000) }).catch((error: unknown) => {
    throw new ApiError(`no answer from ${address}: ${error instanceof Error ? error.message : String(error)}`, null);
  });
  const parsed = PublicKeys.safeParse(await answer.json().catch(() => null));
  if (!answer.ok || !parsed.success)
    throw new ApiError(`${address} answered ${answer.status}, and no keys`, answer.status);
  return parsed.data.keys.flatMap(({ pem }) => readPublicKeys(pem));
}
