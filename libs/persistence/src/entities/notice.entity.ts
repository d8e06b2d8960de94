import { NotificationEvent } from '@assay/contracts';
import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { oneOf } from './checks';
import { RunEntity } from './run.entity';

/** An event that others may want to hear of. A trigger of `events` writes it. */
@Entity('notices')
@Check('notices_event_check', oneOf('event', NotificationEvent.options))
@Index('notices_open', ['eventId'], { where: 'planned_at is null' })
export class NoticeEntity {
  /** A bigint, as text. */
  @PrimaryColumn({ type: 'bigint' })
  eventId!: string;

  @PrimaryColumn({ type: 'text' })
  event!: NotificationEvent;

  @Column({ type: 'text' })
  runId!: string;

  @ManyToOne(() => RunEntity, { nullable: false })
  @JoinColumn({ name: 'run_id' })
  run!: Relation<RunEntity>;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  at!: Date;

  /** When every target got its notification; null: no publisher has asked since. */
  @Column({ type: 'timestamptz', nullable: true })
  plannedAt!: Date | null;
}
