import { AttemptState } from '@assay/contracts';
import { Check, Entity, JoinColumn, ManyToOne, type Relation, Unique } from 'typeorm';
import { oneOf } from './checks';
import { LeasedTry } from './leased-try';
import { RunEntity } from './run.entity';

/** One try to write or to re-read a run's publication. */
@Entity('publication_tries')
@Check('publication_tries_state_check', oneOf('state', AttemptState.options))
@Unique('publication_tries_epoch', ['runId', 'instanceId', 'sample', 'epoch'])
export class PublicationTryEntity extends LeasedTry {
  @ManyToOne(() => RunEntity, { nullable: false })
  @JoinColumn({ name: 'run_id' })
  run!: Relation<RunEntity>;
}
