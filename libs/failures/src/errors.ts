import type { Blame, Failure, Phase } from '@assay/contracts';
import type { FailureCode } from './codes';

export interface FailureOptions {
  /** One of the table; docs/errors.md explains each. */
  readonly code: FailureCode;
  readonly phase: Phase;
  readonly details?: Record<string, unknown>;
  readonly cause?: unknown;
}

/** A failure with blame. Thrown inside our code, turned into a `Failure` at its edge. */
export abstract class BlamedError extends Error {
  abstract readonly blame: Blame;
  readonly code: FailureCode;
  readonly phase: Phase;
  readonly details: Record<string, unknown>;

  constructor(message: string, options: FailureOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = options.code;
    this.phase = options.phase;
    this.details = options.details ?? {};
  }

  toFailure(): Failure {
    const { blame, code, phase, details } = this;
    return { blame, code, phase, details, message: this.message.slice(0, 4000) };
  }
}

/** Our fault: engine, image, network, disk, provider, lease. Tried again. */
export class InfraError extends BlamedError {
  readonly blame = 'infra';
}

/** The agent's fault: crash, malformed result. Terminal at once. */
export class AgentError extends BlamedError {
  readonly blame = 'agent';
}

/** The task's or prediction's fault: it cannot be judged. Terminal at once. */
export class TaskError extends BlamedError {
  readonly blame = 'task';
}

/** A broken message between our own parts: our fault. */
export class ContractError extends BlamedError {
  readonly blame = 'contract';
}
