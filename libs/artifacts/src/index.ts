export type { ArtifactStore } from './artifact-store.port';
