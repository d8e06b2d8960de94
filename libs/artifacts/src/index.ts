export type { ArtifactCondition, ArtifactStore } from './artifact-store.port';
export { FileArtifactStore, type FileArtifactStoreOptions } from './file-store';
