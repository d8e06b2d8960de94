export {
  decideDispatch,
  type DispatchDecision,
  type DispatchFacts,
  type DispatchInputs,
  type DispatchPlan,
  type PlannedSuite,
} from './decide-dispatch.policy';
export { packageVersionOf } from './evaluated-ref';
export { loadPolicy } from './load-policy';
export { mayPublish, type PublishAnswer, type PublishFacts } from './may-publish.policy';
export { matchesPattern } from './patterns/match-pattern';
export { AccessPolicy, PublicationMode, ReleasePolicy, type RepositoryPolicy, type Rule } from './policy.schema';
export type { ReleaseFacts } from './rules';
