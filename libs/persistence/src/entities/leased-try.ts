import type { AttemptState, Failure } from '@assay/contracts';
import { Column, PrimaryColumn } from 'typeorm';

/** The columns that trials, grades and publications share: one try under one lease. */
export abstract class LeasedTry {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ type: 'text' })
  runId!: string;

  @Column({ type: 'text' })
  instanceId!: string;

  @Column({ type: 'integer' })
  sample!: number;

  /** 1 for the first. */
  @Column({ type: 'integer' })
  number!: number;

  /** With `claimId` the fence. */
  @Column({ type: 'integer' })
  epoch!: number;

  @Column({ type: 'uuid' })
  claimId!: string;

  @Column({ type: 'text' })
  worker!: string;

  @Column({ type: 'text' })
  buildDigest!: string;

  @Column({ type: 'text' })
  state!: AttemptState;

  @Column({ type: 'jsonb', nullable: true })
  outcome!: object | null;

  @Column({ type: 'jsonb', nullable: true })
  failure!: Failure | null;

  @Column({ type: 'text', nullable: true })
  traceparent!: string | null;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  grantedAt!: Date;

  /** The first accepted heartbeat: from then on the try counts. */
  @Column({ type: 'timestamptz', nullable: true })
  startedAt!: Date | null;

  @Column({ type: 'timestamptz', nullable: true })
  finishedAt!: Date | null;
}
