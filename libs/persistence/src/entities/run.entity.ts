import {
  type Manifest,
  PublicationState as PublicationStates,
  type PublicationState,
  RunState as RunStates,
  type RunFailure,
  RunBudget as RunBudgets,
  type RunBudget,
  type RunLimits,
  type RunOrigin,
  type RunResult,
  type RunState,
  type SubmitRequest,
} from '@assay/contracts';
import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import { oneOf } from './checks';

/** One evaluation of one release by one suite. Its id is that of the submission. */
@Entity('runs')
@Check('runs_state_check', oneOf('state', RunStates.options))
@Check('runs_publication_state_check', oneOf('publication_state', PublicationStates.options))
@Check('runs_budget_reached_check', oneOf('budget_reached', RunBudgets.options))
@Unique('runs_idempotency', ['repository', 'idempotencyKey'])
@Index('runs_waiting', ['nextAt'], { where: "state = 'WAITING'" })
@Index('runs_created', ['createdAt', 'id'])
export class RunEntity {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  state!: RunState;

  @Column({ type: 'text', default: 'NONE' })
  publicationState!: PublicationState;

  @Column({ type: 'text', default: '' })
  repository!: string;

  @Column({ type: 'text' })
  idempotencyKey!: string;

  @Column({ type: 'jsonb' })
  request!: SubmitRequest;

  @Column({ type: 'text' })
  requestDigest!: string;

  @Column({ type: 'text' })
  suite!: string;

  @Column({ type: 'jsonb', nullable: true })
  manifest!: Manifest | null;

  @Column({ type: 'text', nullable: true })
  manifestDigest!: string | null;

  @Column({ type: 'boolean', default: false })
  paused!: boolean;

  @Column({ type: 'integer', default: 0 })
  revision!: number;

  @Column({ type: 'timestamptz', nullable: true })
  nextAt!: Date | null;

  @Column({ type: 'integer', default: 0 })
  pollTries!: number;

  @Column({ type: 'text', nullable: true })
  lastError!: string | null;

  @Column({ type: 'timestamptz', nullable: true })
  lastServedAt!: Date | null;

  @Column({ type: 'jsonb', nullable: true })
  result!: RunResult | null;

  @Column({ type: 'text', nullable: true })
  traceparent!: string | null;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', nullable: true })
  queuedAt!: Date | null;

  @Column({ type: 'timestamptz', nullable: true })
  startedAt!: Date | null;

  @Column({ type: 'timestamptz', nullable: true })
  finishedAt!: Date | null;

  @Column({ type: 'text', nullable: true })
  buildDigest!: string | null;

  @Column({ type: 'jsonb', nullable: true })
  origin!: RunOrigin | null;

  @Column({ type: 'text', nullable: true })
  evaluatedCommit!: string | null;

  @Column({ type: 'text', nullable: true })
  packageVersion!: string | null;

  @Column({ type: 'timestamptz', nullable: true })
  packageSince!: Date | null;

  @Column({ type: 'jsonb', nullable: true })
  failure!: RunFailure | null;

  /** Null: the run has no budget of its own. */
  @Column({ type: 'jsonb', nullable: true })
  runLimits!: RunLimits | null;

  /** Which of them was used up before every trial had its due. */
  @Column({ type: 'text', nullable: true })
  budgetReached!: RunBudget | null;
}
