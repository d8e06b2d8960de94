import { WorkKind as WorkKinds, type WorkKind } from '@assay/contracts';
import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { oneOf } from './checks';
import { RunEntity } from './run.entity';

/** One piece of work and its lease: the truth that JetStream's messages only wake somebody for. */
@Entity('work_items')
@Check('work_items_kind_check', oneOf('kind', WorkKinds.options))
@Check('work_items_state_check', oneOf('state', ['OPEN', 'DONE']))
@Index('work_items_due', ['kind', 'runAt'], { where: "state = 'OPEN'" })
@Index('work_items_leased', ['leaseUntil'], { where: "state = 'OPEN' and lease_until is not null" })
@Index('work_items_published', ['kind'], {
  where: "state = 'OPEN' and published_at is not null and lease_until is null",
})
export class WorkItemEntity {
  @PrimaryColumn({ type: 'text' })
  kind!: WorkKind;

  @PrimaryColumn({ type: 'text' })
  runId!: string;

  @PrimaryColumn({ type: 'text' })
  instanceId!: string;

  @PrimaryColumn({ type: 'integer', default: 0 })
  sample!: number;

  @ManyToOne(() => RunEntity, { nullable: false })
  @JoinColumn({ name: 'run_id' })
  run!: Relation<RunEntity>;

  @Column({ type: 'text', default: 'OPEN' })
  state!: 'OPEN' | 'DONE';

  @Column({ type: 'integer', default: 0 })
  epoch!: number;

  @Column({ type: 'uuid', nullable: true })
  claimId!: string | null;

  @Column({ type: 'text', nullable: true })
  worker!: string | null;

  @Column({ type: 'uuid', nullable: true })
  attemptId!: string | null;

  @Column({ type: 'timestamptz', nullable: true })
  leaseUntil!: Date | null;

  @Column({ type: 'boolean', default: false })
  expired!: boolean;

  @Column({ type: 'integer', default: 0 })
  tries!: number;

  @Column({ type: 'integer', default: 0 })
  testTimeouts!: number;

  @Column({ type: 'boolean', default: false })
  wantsIdle!: boolean;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  runAt!: Date;

  @Column({ type: 'timestamptz', nullable: true })
  publishedAt!: Date | null;

  @Column({ type: 'timestamptz', nullable: true })
  refusedSince!: Date | null;

  @Column({ type: 'integer', default: 0 })
  repairs!: number;

  @Column({ type: 'text', nullable: true })
  traceparent!: string | null;
}
