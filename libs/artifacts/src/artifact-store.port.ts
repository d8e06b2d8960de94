import type { ArtifactRef } from '@assay/contracts';

/** Whether the store holds what a reference names. `corrupt`: size or digest of what is there differ. */
export type ArtifactCondition = 'whole' | 'missing' | 'corrupt';

/**
 * Content-addressed blobs. What is stored under a digest never changes. Every method throws InfraError while the store
 * itself cannot be used; which codes those are is the adapter's to tell.
 */
export interface ArtifactStore {
  /** Stores bytes, or a host file as a stream. When it resolves the content is there whole and stays. */
  put(name: string, mediaType: string, content: Buffer | { file: string }): Promise<ArtifactRef>;
  /** The whole content. Throws ContractError when absent, or when its digest differs. */
  get(ref: Pick<ArtifactRef, 'digest' | 'size'>, maxBytes?: number): Promise<Buffer>;
  /** Copies the content to a file of the host, verifying size and digest. */
  fetchTo(ref: Pick<ArtifactRef, 'digest' | 'size'>, file: string): Promise<void>;
  /** Size in bytes of what lies there, or null when absent. Only `inspect` tells whether it is whole. */
  stat(digest: string): Promise<number | null>;
  /** Reads the content through: what the coordinator checks before it believes a result. */
  inspect(ref: Pick<ArtifactRef, 'digest' | 'size'>): Promise<ArtifactCondition>;
  /** Resolves when the store can be used now; one look, with hardly any patience. For readiness. */
  check(): Promise<void>;
}
