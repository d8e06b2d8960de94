import type { ArtifactRef } from '@assay/contracts';
import { ContractError, type FailureCode } from '@assay/failures';

/** What is stored: bytes, or a file of the host as a stream. */
export type Content = Buffer | { file: string };

/** What a reader asks for. */
export type Wanted = Pick<ArtifactRef, 'digest' | 'size'>;

/** What was found: sha256 in hex, bytes. */
export interface Measured {
  readonly digest: string;
  readonly size: number;
}

/** Throws ContractError `artifact_corrupt` unless what was found is what is wanted. */
export function verify(ref: Wanted, found: Measured): void {
  if (found.digest === ref.digest && found.size === ref.size) return;
  throw refused('artifact_corrupt', 'an artifact does not hold what its digest says', ref);
}

/** Throws ContractError `artifact_missing` or `artifact_corrupt` unless what lies there has the size that is wanted. */
export function verifySize(ref: Wanted, size: number | null): void {
  if (size === null) throw refused('artifact_missing', 'an artifact is not in the store', ref);
  if (size !== ref.size) {
    throw refused('artifact_corrupt', `an artifact has ${size} bytes instead of ${ref.size}`, ref);
  }
}

/** Throws ContractError `artifact_too_large` for more than a reader can take. */
export function verifyBound(ref: Wanted, maxBytes: number): void {
  if (ref.size <= maxBytes) return;
  throw refused('artifact_too_large', `an artifact is larger than the ${maxBytes} bytes allowed here`, ref);
}

function refused(code: FailureCode, message: string, { digest, size }: Wanted): ContractError {
  return new ContractError(message, { code, phase: 'upload', details: { digest, size } });
}
