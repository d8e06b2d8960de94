import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { RunEntity } from './run.entity';

/** A message to be sent, written with the state that it tells of. */
@Entity('outbox')
@Index('outbox_unsent', ['topic', 'availableAt', 'id'], { where: 'sent_at is null' })
@Index('outbox_sent', ['sentAt'], { where: 'sent_at is not null' })
@Index('outbox_run', ['runId'], { where: 'sent_at is null' })
export class OutboxEntity {
  /** A bigint, as text. */
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: string;

  @Column({ type: 'text' })
  topic!: string;

  @Column({ type: 'text' })
  subject!: string;

  @Column({ type: 'text' })
  messageId!: string;

  @Column({ type: 'jsonb' })
  payload!: unknown;

  @Column({ type: 'text' })
  runId!: string;

  @ManyToOne(() => RunEntity, { nullable: false })
  @JoinColumn({ name: 'run_id' })
  run!: Relation<RunEntity>;

  @Column({ type: 'text', nullable: true })
  traceparent!: string | null;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  availableAt!: Date;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', nullable: true })
  sentAt!: Date | null;

  @Column({ type: 'integer', default: 0 })
  tries!: number;

  @Column({ type: 'text', nullable: true })
  lastError!: string | null;
}
