export { classify } from './classify';
export { AgentError, BlamedError, ContractError, type FailureOptions, InfraError, TaskError } from './errors';
