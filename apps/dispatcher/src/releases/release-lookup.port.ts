import type { ReleaseTarget } from '@assay/contracts';

/** Whether the release that a run is for is there. */
export type ReleaseAnswer =
  | { readonly answer: 'there' }
  /** Not yet, or not now: worth another look. */
  | { readonly answer: 'not_yet'; readonly reason: string; readonly retryAfterSeconds: number | null }
  /** The submission contradicts what is there; no later look will change that. */
  | { readonly answer: 'wrong'; readonly reason: string };

export interface ReleaseLookup {
  /**
   * Never rejects for what GitHub answers or fails to answer: that is `not_yet`.
   * @param signal ends the look early, as `not_yet`
   */
  look(release: ReleaseTarget, signal: AbortSignal): Promise<ReleaseAnswer>;
}

/** Injection token of the ReleaseLookup; null is bound where no GITHUB_API_URL is configured. */
export const RELEASES = Symbol('RELEASES');
