import { AttemptState, type Usage } from '@assay/contracts';
import { Check, Column, Entity, JoinColumn, ManyToOne, type Relation, Unique } from 'typeorm';
import { oneOf } from './checks';
import { InstanceEntity } from './instance.entity';
import { LeasedTry } from './leased-try';

/** One trial of an instance. */
@Entity('attempts')
@Check('attempts_state_check', oneOf('state', AttemptState.options))
@Unique('attempts_epoch', ['runId', 'instanceId', 'sample', 'epoch'])
export class AttemptEntity extends LeasedTry {
  @ManyToOne(() => InstanceEntity, { nullable: false })
  @JoinColumn([
    { name: 'run_id', referencedColumnName: 'runId' },
    { name: 'instance_id', referencedColumnName: 'instanceId' },
    { name: 'sample', referencedColumnName: 'sample' },
  ])
  instance!: Relation<InstanceEntity>;

  /** What it really ran in; its grade uses the same. */
  @Column({ type: 'text', nullable: true })
  imageId!: string | null;

  /** What it had spent by its last heartbeat; its outcome says it better. */
  @Column({ type: 'jsonb', nullable: true })
  spentSoFar!: Usage | null;
}
