export { blockMarkers, type BlockMarkers } from './block-markers';
export { findBlocks, type BlockPlace } from './find-blocks';
export { githubFailure, isTransient, retryAfterMs } from './github-failure';
export { markdownCode, markdownText } from './markdown-text';
export type { Release, ReleaseAsset } from './release';
export { bodyWithResult, MAX_RELEASE_BODY } from './release-body';
export {
  allowedWorkflow,
  type RepositoryAccess,
  type WorkflowAccess,
  type WorkflowAnswer,
  type WorkflowRefusal,
export { lastUseOf, type OidcOptions, OidcVerifier } from './oidc/oidc-verifier';
export type { TokenRefusal, TokenVerdict } from './oidc/token-verdict';
export { WorkflowClaims } from './oidc/workflow-claims';
export { ReleaseClient, type ReleaseClientOptions } from './release.client';
export type { NewAsset, ReleasePort, WriteGuard } from './release-client.port';
export { type BlockLinks, renderBlock, renderShortBlock } from './render-block';
export { blockDigest, outsideBlocks, replaceBlock } from './replace-block';
export { WritePace } from './write-pace';
