import type { NewAsset } from './new-asset';
import type { Release, ReleaseAsset } from './release';

/**
 * Called right before every write, after any waiting: rejects when the caller may not write any more (a lost lease).
 */
export type WriteGuard = () => Promise<void>;

/**
 * - there: it is shown by its id (again)
 * - made_anew: its tag has another release now
 * - deleted: neither its id nor its tag has a release, though the repository's releases are shown
 * - hidden: nothing of the repository is shown, so nothing is known: the token may have lost its right
 */
export type Whereabouts = 'there' | 'made_anew' | 'deleted' | 'hidden';

/** What a publisher does to a release. Every failure is a BlamedError with GitHub's own reason. */
export interface ReleasePort {
  getRelease(repository: string, id: number): Promise<Release>;
  /** Where a release is that GitHub does not show by its id. */
  whereabouts(repository: string, release: { readonly id: number; readonly tag: string }): Promise<Whereabouts>;
  /** Replaces the whole notes. GitHub has no way to make that conditional: read right before, and again after. */
  updateBody(repository: string, id: number, body: string, guard: WriteGuard): Promise<Release>;
  /** All of them, page by page. */
  listAssets(repository: string, id: number): Promise<ReleaseAsset[]>;
  /** Leaves exactly one whole asset of that name and content, whatever an earlier upload left. */
  ensureAsset(repository: string, release: Release, asset: NewAsset, guard: WriteGuard): Promise<ReleaseAsset>;
  /** One that is gone already is no failure. */
  deleteAsset(repository: string, assetId: number, guard: WriteGuard): Promise<void>;
  /** Resolves when the next write may start (one a second), so that a read right before it is as fresh as it can be. */
  writeTurn(): Promise<void>;
}
