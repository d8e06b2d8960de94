import {
  type ArtifactRef,
  type PublicationState,
  PublicationState as PublicationStates,
  type PublishedAsset,
} from '@assay/contracts';
import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { oneOf } from './checks';
import { RunEntity } from './run.entity';

/** What a run owes, or has written, to its release. */
@Entity('publications')
@Check('publications_state_check', oneOf('state', PublicationStates.options))
@Index('publications_release', ['repository', 'releaseId', 'suite'])
export class PublicationEntity {
  @PrimaryColumn({ type: 'text' })
  runId!: string;

  @ManyToOne(() => RunEntity, { nullable: false })
  @JoinColumn({ name: 'run_id' })
  run!: Relation<RunEntity>;

  @Column({ type: 'text' })
  repository!: string;

  /** GitHub's id; a bigint, as text. */
  @Column({ type: 'bigint' })
  releaseId!: string;

  @Column({ type: 'text' })
  tag!: string;

  @Column({ type: 'text' })
  suite!: string;

  @Column({ type: 'text' })
  state!: PublicationState;

  @Column({ type: 'text', nullable: true })
  blockDigest!: string | null;

  /** The release's text before the write. */
  @Column({ type: 'text', nullable: true })
  previousBody!: string | null;

  @Column({ type: 'integer', default: 0 })
  tries!: number;

  @Column({ type: 'text', nullable: true })
  lastError!: string | null;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', nullable: true })
  writtenAt!: Date | null;

  @Column({ type: 'timestamptz', nullable: true })
  publishedAt!: Date | null;

  /** Our files on the release that the block points to. */
  @Column({ type: 'jsonb', default: [] })
  assets!: PublishedAsset[];

  /** Why nothing was written: REFUSED and DRY_RUN. */
  @Column({ type: 'text', nullable: true })
  reason!: string | null;

  /** Of a DRY_RUN: the artifact with the difference. */
  @Column({ type: 'jsonb', nullable: true })
  difference!: ArtifactRef | null;
}
