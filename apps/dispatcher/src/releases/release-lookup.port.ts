import type { ReleaseTarget } from '@assay/contracts';

/** Another look may help. */
export interface NotYet {
  readonly answer: 'not_yet';
  readonly reason: string;
  /** What the other side asked for. */
  readonly retryAfterSeconds: number | null;
}

/** Whether the release that a run is for is there. */
export type ReleaseAnswer =
  | { readonly answer: 'there' }
  /** Nobody has seen it, or it is gone. */
  | { readonly answer: 'missing'; readonly reason: string }
  | NotYet
  /** The submission contradicts what is there; no later look will change that. */
  | { readonly answer: 'wrong'; readonly reason: string };

/** A release as GitHub describes it. */
export interface FoundRelease {
  readonly id: number;
  readonly tag: string;
  readonly prerelease: boolean;
  readonly draft: boolean;
  /** The notes; empty where there are none. */
  readonly body: string;
}

export type TagAnswer =
  { readonly answer: 'there'; readonly release: FoundRelease } | { readonly answer: 'missing' } | NotYet;

export type CommitAnswer =
  /** 40 lower-case hexadecimal digits. */
  | { readonly answer: 'there'; readonly commit: string }
  | { readonly answer: 'missing'; readonly reason: string }
  | NotYet
  /** The tag leads to no commit. */
  | { readonly answer: 'wrong'; readonly reason: string };

/** What is read of GitHub. No method rejects for what GitHub answers or fails to answer; a signal ends it as `not_yet`. */
export interface ReleaseLookup {
  look(release: ReleaseTarget, signal: AbortSignal): Promise<ReleaseAnswer>;
  /** The published release of a tag; drafts are not seen. */
  byTag(repository: string, tag: string, signal: AbortSignal): Promise<TagAnswer>;
  /** The commit that a tag stands for, through annotated and nested tags. */
  commitOf(repository: string, tag: string, signal: AbortSignal): Promise<CommitAnswer>;
}

/** Injection token of the ReleaseLookup; null is bound where no GITHUB_API_URL is configured. */
export const RELEASES = Symbol('RELEASES');
