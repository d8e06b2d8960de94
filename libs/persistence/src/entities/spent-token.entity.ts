import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An OIDC token that was used. */
@Entity('spent_tokens')
@Index('spent_tokens_kept', ['keptUntil'])
export class SpentTokenEntity {
  @PrimaryColumn({ type: 'text' })
  issuer!: string;

  @PrimaryColumn({ type: 'text' })
  jti!: string;

  /** When no verifier would take it any more. */
  @Column({ type: 'timestamptz' })
  keptUntil!: Date;
}
