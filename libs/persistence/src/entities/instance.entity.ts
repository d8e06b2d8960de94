import {
  type Failure,
  InstanceState as InstanceStates,
  type InstanceState,
  ReachedLimit as ReachedLimits,
  type ReachedLimit,
} from '@assay/contracts';
import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { oneOf } from './checks';
import { RunEntity } from './run.entity';

/** One frozen instance of a run: ends in exactly one terminal state. */
@Entity('instances')
@Check('instances_state_check', oneOf('state', InstanceStates.options))
@Check('instances_reached_limit_check', oneOf('reached_limit', ReachedLimits.options))
@Index('instances_state', ['runId', 'state'])
export class InstanceEntity {
  @PrimaryColumn({ type: 'text' })
  runId!: string;

  @PrimaryColumn({ type: 'text' })
  instanceId!: string;

  @PrimaryColumn({ type: 'integer', default: 0 })
  sample!: number;

  @ManyToOne(() => RunEntity, { nullable: false })
  @JoinColumn({ name: 'run_id' })
  run!: Relation<RunEntity>;

  @Column({ type: 'integer' })
  position!: number;

  @Column({ type: 'text' })
  state!: InstanceState;

  @Column({ type: 'integer', default: 0 })
  attempts!: number;

  /** The attempt whose patch is graded. */
  @Column({ type: 'uuid', nullable: true })
  attemptId!: string | null;

  @Column({ type: 'jsonb', nullable: true })
  failure!: Failure | null;

  @Column({ type: 'text', nullable: true })
  reachedLimit!: ReachedLimit | null;

  @Column({ type: 'jsonb', default: [] })
  suspicions!: string[];

  @Column({ type: 'timestamptz', nullable: true })
  nextTryAt!: Date | null;

  @Column({ type: 'text', nullable: true })
  traceparent!: string | null;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', nullable: true })
  terminalAt!: Date | null;
}
