import type { Release, ReleaseAsset } from './release';

/**
 * Called right before every write, after any waiting: rejects when the caller may not write any more (a lost lease).
 */
export type WriteGuard = () => Promise<void>;

export interface NewAsset {
  /** Of `A-Z a-z 0-9 . _ -`, no period first or last: GitHub renames others. */
  readonly name: string;
  readonly label: string;
  readonly mediaType: string;
  readonly content: Buffer;
}

/** What a publisher does to a release. Every failure is a BlamedError with GitHub's own reason. */
export interface ReleasePort {
  getRelease(repository: string, id: number): Promise<Release>;
  /** Replaces the whole notes. GitHub has no way to make that conditional: read right before, and again after. */
  updateBody(repository: string, id: number, body: string, guard: WriteGuard): Promise<Release>;
  /** All of them, page by page. */
  listAssets(repository: string, id: number): Promise<ReleaseAsset[]>;
  /** Leaves exactly one whole asset of that name and content, whatever an earlier upload left. */
  ensureAsset(repository: string, release: Release, asset: NewAsset, guard: WriteGuard): Promise<ReleaseAsset>;
  /** No failure where it is gone already. */
  deleteAsset(repository: string, assetId: number, guard: WriteGuard): Promise<void>;
  /** Resolves when a write would not have to wait, so that a read after it stands right before the write. */
  writeTurn(): Promise<void>;
}
