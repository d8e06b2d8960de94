/** Injection token of the ArtifactStore. */
export const ARTIFACTS = Symbol('ARTIFACTS');
