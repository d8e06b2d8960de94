export { ACTION_BUNDLE, type ActionStep, type EndedStep, type RunningStep, runStep, startStep } from './action-step';
export { allRows } from './all-rows';
export { missingDocker, missingTestImage, removeTestImages, testImage } from './docker';
export { eventually } from './eventually';
export { expectFresh, expectFreshTable, PROJECT_ROOT } from './fresh';
export { type SchemaField, schemaFields, schemaFieldTable } from './schema-fields';
export { describeNeeding } from './needs';
export { describeWithData, sharedData } from './shared-data';
export { OidcIssuer, workflowClaims, type Claims, type Forgery } from './oidc-issuer';
export { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from './otlp-receiver';
export { aFailedResult, aPublicResult } from './result-builder';
export { missingS3Server, TestS3 } from './s3-server';
export { freePort, freshDatabase, TestNats, type TestDatabase } from './servers';
export { aManifest, digestOf, seedRun, type ManifestSeed, type RunSeed, type SeedTarget } from './run-builder';
export {
  aClaim,
  aFailure,
  anArtifact,
  aResult,
  completedTrial,
  failedGrade,
  failedTrial,
  graded,
  verifiedPublication,
  workKey,
  writtenPublication,
  type ClaimSeed,
  type Fence,
} from './work-builder';
export { MINIMAL_TASK, withTempDir, writeFolder, writeTask, type FolderContent } from './task-folder-builder';
export { untilClaimed, withEngineAway, type StartWorker, type WhileAway } from './engine-away';
export { WaitingWork } from './waiting-work';
