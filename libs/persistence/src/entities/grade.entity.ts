import { AttemptState } from '@assay/contracts';
import { Check, Column, Entity, Index, JoinColumn, ManyToOne, type Relation, Unique } from 'typeorm';
import { AttemptEntity } from './attempt.entity';
import { oneOf } from './checks';
import { InstanceEntity } from './instance.entity';
import { LeasedTry } from './leased-try';

/** One try to grade an attempt's patch; at most one try per attempt and grader version has a verdict. */
@Entity('grades')
@Check('grades_state_check', oneOf('state', AttemptState.options))
@Check('grades_verdict_check', oneOf('verdict', ['RESOLVED', 'UNRESOLVED']))
@Unique('grades_epoch', ['runId', 'instanceId', 'sample', 'epoch'])
@Index('grades_verdict', ['attemptId', 'graderVersion'], { unique: true, where: 'verdict is not null' })
export class GradeEntity extends LeasedTry {
  @ManyToOne(() => InstanceEntity, { nullable: false })
  @JoinColumn([
    { name: 'run_id', referencedColumnName: 'runId' },
    { name: 'instance_id', referencedColumnName: 'instanceId' },
    { name: 'sample', referencedColumnName: 'sample' },
  ])
  instance!: Relation<InstanceEntity>;

  @Column({ type: 'uuid' })
  attemptId!: string;

  @ManyToOne(() => AttemptEntity, { nullable: false })
  @JoinColumn({ name: 'attempt_id' })
  attempt!: Relation<AttemptEntity>;

  @Column({ type: 'text' })
  graderVersion!: string;

  @Column({ type: 'text', nullable: true })
  verdict!: 'RESOLVED' | 'UNRESOLVED' | null;

  @Column({ type: 'double precision', nullable: true })
  reward!: number | null;
}
