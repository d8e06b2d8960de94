import { ChainSkip, ChainState } from '@assay/contracts';
import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { oneOf } from './checks';
import { RunEntity } from './run.entity';

/** One suite that follows a run on its release, and what became of it. */
@Entity('chains')
@Check('chains_state_check', oneOf('state', ChainState.options))
@Check('chains_cause_check', oneOf('cause', ChainSkip.options))
@Index('chains_child', ['childRunId'], { unique: true })
@Index('chains_pending', ['runId'], { where: "state = 'PENDING'" })
export class ChainEntity {
  /** The first run: it stands before position 0. */
  @PrimaryColumn({ type: 'text' })
  runId!: string;

  @ManyToOne(() => RunEntity, { nullable: false })
  @JoinColumn({ name: 'run_id' })
  run!: Relation<RunEntity>;

  @PrimaryColumn({ type: 'integer' })
  position!: number;

  @Column({ type: 'text' })
  suite!: string;

  @Column({ type: 'integer', nullable: true })
  suiteLimit!: number | null;

  @Column({ type: 'text', nullable: true })
  instanceId!: string | null;

  @Column({ type: 'text', default: 'PENDING' })
  state!: ChainState;

  /** Why it is SKIPPED, as a word and as a sentence. */
  @Column({ type: 'text', nullable: true })
  cause!: ChainSkip | null;

  @Column({ type: 'text', nullable: true })
  reason!: string | null;

  /** Its run, once it is STARTED. */
  @Column({ type: 'text', nullable: true })
  childRunId!: string | null;

  @ManyToOne(() => RunEntity, { nullable: true })
  @JoinColumn({ name: 'child_run_id' })
  child!: Relation<RunEntity> | null;

  @Column({ type: 'timestamptz', nullable: true })
  settledAt!: Date | null;
}
