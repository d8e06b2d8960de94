export { messagesMarkdown } from './docs/messages';
export {
  AttemptId,
  BuildDigest,
  ClaimId,
  Digest,
  INSTANCE_ID_PATTERN,
  InstanceId,
  Namespace,
  RUN_ID_PATTERN,
  RunId,
  SHA256_PATTERN,
  WorkerId,
} from './ids';
export { DEFAULT_TIMINGS, RetryPolicy, scaleTimings, type Timings } from './policy';
export { Blame, Failure, Phase } from './failure.schema';
export {
  AttemptState,
  InstanceState,
  PublicationState,
  RunState,
  TERMINAL_INSTANCE_STATES,
  TERMINAL_RUN_STATES,
  type TerminalInstanceState,
  type TerminalRunState,
} from './states.schema';
export {
  AgentSpec,
  ArtifactRef,
  ChainedSuite,
  FrozenPrediction,
  GitHistory,
  GraderSpec,
  ImageSource,
  isGradeOnly,
  Manifest,
  ManifestInstance,
  PublishMode,
  SuiteKind,
  RunLimits,
  TrialLimits,
} from './manifest.schema';
export { PublicKeys } from './keys.schema';
export { RunRecord } from './record.schema';
export {
  AuditLine,
  AuditList,
  Scope,
  TokenCreated,
  TokenList,
  TokenName,
  TokenRequest,
  TokenView,
} from './token.schema';
export { PredictionLine, PredictionSetReply, SuiteInstances } from './predictions.schema';
export {
  GradeOutcome,
  ModelEvidence,
  PublicationOutcome,
  PublishedAsset,
  ReachedLimit,
  RunBudget,
  TrialOutcome,
  Usage,
} from './outcome.schema';
export { Counts, FailedResult, PublicResult, QuarantineReason, RunResult, RunUsage, Score } from './result.schema';
export {
  AnnounceReply,
  AnnounceRequest,
  CancelMessage,
  ClaimReply,
  ClaimRequest,
  GradeSpec,
  HeartbeatReply,
  HeartbeatRequest,
  LeasesLiveReply,
  LeasesLiveRequest,
  PUBLICATION_INSTANCE,
  PublicationSpec,
  PublishedCase,
  ReleaseReply,
  ReleaseRequest,
  ResultMessage,
  ResultReply,
  RunSubmittedMessage,
  Traceparent,
  TrialSpec,
  WorkKey,
  WorkKind,
  WorkMessage,
  WorkPhase,
  WorkSpec,
} from './work.message';
export { ImagesNeededReply, ImagesNeededRequest, MOST_NEXT_IMAGES, NextImage } from './images.message';
export {
  CancelReply,
  ErrorReply,
  GitRef,
  IdempotencyKey,
  InstanceList,
  InstanceView,
  ReleaseTarget,
  Repository,
  RunFailure,
  RunList,
  RunView,
  SubmitReply,
  SubmitRequest,
} from './http.schema';
export {
  Notification,
  NotificationEvent,
  NotificationOutcome,
  NotificationsNextReply,
  NotificationsNextRequest,
  NotificationsSettleReply,
  NotificationsSettleRequest,
  NotificationState,
  NotificationTarget,
  NotificationView,
  TargetName,
} from './notification.message';
export { ChainLink, ChainSkip, ChainState } from './chain.schema';
export {
  DispatchEvent,
  DispatchReply,
  DispatchRequest,
  OriginPrincipal,
  Receipt,
  ReleasePlan,
  RunOrigin,
  SkippedReceipt,
} from './edge.schema';
export { REPLY_HEADER, RPC, names, subjectToken, type RpcName, type Names } from './subjects';
export { CancelRunReply, CancelRunRequest, RPC_SCHEMAS } from './rpc';
export { FLOW, type AppName, type Channel, type FlowStage } from './flow';
export { canonicalJson } from './canonical';
export { beyondEngine, type BeyondEngine, type EngineSize } from './engine-bounds';
export { assertNever, problemLines, problemsOf, type Problem } from './problems';
