import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { RunEntity } from './run.entity';

/** What happened, in order; a trigger keeps it append-only. */
@Entity('events')
@Index('events_run', ['runId', 'id'])
export class EventEntity {
  /** A bigint, as text. */
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: string;

  @Column({ type: 'text' })
  runId!: string;

  @ManyToOne(() => RunEntity, { nullable: false })
  @JoinColumn({ name: 'run_id' })
  run!: Relation<RunEntity>;

  @Column({ type: 'text', nullable: true })
  instanceId!: string | null;

  @Column({ type: 'integer', nullable: true })
  sample!: number | null;

  @Column({ type: 'text' })
  type!: string;

  @Column({ type: 'jsonb', default: {} })
  data!: Record<string, unknown>;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  at!: Date;
}
