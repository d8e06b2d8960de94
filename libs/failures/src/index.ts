export { classify, type ClassifiedFailure } from './classify';
export { FAILURE_CODES, type FailureCode } from './codes';
export type { FailureEntry } from './codes/failure-entry';
export { AgentError, BlamedError, ContractError, type FailureOptions, InfraError, TaskError } from './errors';
export { triedAgain, type TriedAgain } from './tried-again';
