export {
  namesBucket,
  readS3Location,
  type ArtifactPlace,
  type S3Access,
  type S3Credentials,
  type S3Location,
} from './artifact-place';
export type { ArtifactCondition, ArtifactStore } from './artifact-store.port';
export { FileArtifactStore, type FileArtifactStoreOptions } from './file-store';
export { openArtifactStore } from './open-store';
export { S3ArtifactStore, type S3ArtifactStoreOptions } from './s3/s3-store';
