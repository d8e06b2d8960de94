import { type Notification, NotificationEvent, NotificationState } from '@assay/contracts';
import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { oneOf } from './checks';
import { RunEntity } from './run.entity';

/** What one target is told of one event. */
@Entity('notifications')
@Check('notifications_event_check', oneOf('event', NotificationEvent.options))
@Check('notifications_state_check', oneOf('state', NotificationState.options))
@Index('notifications_due', ['nextAt'], { where: "state = 'PENDING'" })
@Index('notifications_run', ['runId'])
export class NotificationEntity {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  runId!: string;

  @ManyToOne(() => RunEntity, { nullable: false })
  @JoinColumn({ name: 'run_id' })
  run!: Relation<RunEntity>;

  @Column({ type: 'text' })
  event!: NotificationEvent;

  @Column({ type: 'text' })
  target!: string;

  /** The same at every repeat. */
  @Column({ type: 'jsonb' })
  body!: Notification;

  @Column({ type: 'text', default: 'PENDING' })
  state!: NotificationState;

  @Column({ type: 'integer', default: 0 })
  tries!: number;

  /** When it may be given out: for the first time, after a wait, or because whoever has it is silent for too long. */
  @Column({ type: 'timestamptz', default: () => 'now()' })
  nextAt!: Date;

  /** Who has it; the fence of its outcome. */
  @Column({ type: 'uuid', nullable: true })
  claimId!: string | null;

  @Column({ type: 'text', nullable: true })
  lastError!: string | null;

  /** When the event happened. */
  @Column({ type: 'timestamptz' })
  at!: Date;

  @Column({ type: 'timestamptz', nullable: true })
  settledAt!: Date | null;
}
