export { CHAIN_EVENTS, CHAIN_STEPS, type ChainEvent, isOverChainState, nextChainState } from './chain.machine';
export { afterInChain, chainedKey, type ChainedAfter, type ChainStep } from './chain.policy';
export { afterGrade, type GradeContext } from './grade.policy';
export { IllegalTransition } from './illegal-transition';
export {
  INSTANCE_EVENTS,
  type InstanceEvent,
  instanceEventName,
  type InstancePhase,
  isTerminalInstanceState,
  nextInstanceState,
} from './instance.machine';
export { reachedBudget, type RunSpending, withinRun } from './run-budget.policy';
export { afterLeaseLost, type LeaseContext } from './lease.policy';
export { NOTIFICATION_LASTS_MS, notificationRetryMs } from './notification.policy';
export {
  isOverPublicationState,
  nextPublicationState,
  PUBLICATION_EVENTS,
  type PublicationEvent,
} from './publication.machine';
export { byBlame, type Decision, type RetryOrEnd, retryDelaySeconds } from './retry.policy';
export { isTerminalRunState, nextRunState, RUN_EVENTS, type RunEvent, runEventName } from './run.machine';
export { afterTrial, type TrialContext } from './trial.policy';
