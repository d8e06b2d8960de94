import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { AttemptEntity } from './attempt.entity';
import { GradeEntity } from './grade.entity';
import { RunEntity } from './run.entity';

/** A blob of the artifact store that belongs to a run, an attempt or a grade. */
@Entity('artifacts')
@Index('artifacts_attempt', ['attemptId', 'name'], { unique: true, where: 'attempt_id is not null' })
@Index('artifacts_grade', ['gradeId', 'name'], { unique: true, where: 'grade_id is not null' })
@Index('artifacts_run', ['runId'])
@Index('artifacts_digest', ['digest'])
export class ArtifactEntity {
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

  @Column({ type: 'uuid', nullable: true })
  attemptId!: string | null;

  @ManyToOne(() => AttemptEntity)
  @JoinColumn({ name: 'attempt_id' })
  attempt!: Relation<AttemptEntity> | null;

  @Column({ type: 'uuid', nullable: true })
  gradeId!: string | null;

  @ManyToOne(() => GradeEntity)
  @JoinColumn({ name: 'grade_id' })
  grade!: Relation<GradeEntity> | null;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  digest!: string;

  /** Bytes; a bigint, as text. */
  @Column({ type: 'bigint' })
  size!: string;

  @Column({ type: 'text' })
  mediaType!: string;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  createdAt!: Date;
}
