import { WorkKind as WorkKinds, type WorkKind } from '@assay/contracts';
import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import { oneOf } from './checks';

/** A worker process that has announced itself. */
@Entity('workers')
@Check('workers_kind_check', oneOf('kind', WorkKinds.options))
export class WorkerEntity {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  kind!: WorkKind;

  @Column({ type: 'integer' })
  slots!: number;

  @Column({ type: 'text' })
  buildDigest!: string;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  firstSeenAt!: Date;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  lastSeenAt!: Date;
}
