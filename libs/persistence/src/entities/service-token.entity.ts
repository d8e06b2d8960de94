import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A token that lets somebody call the dispatcher. The token itself is nowhere. */
@Entity('service_tokens')
@Unique('service_tokens_token_hash_key', ['tokenHash'])
export class ServiceTokenEntity {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  name!: string;

  /** Hexadecimal sha256 of the token. */
  @Column({ type: 'text' })
  tokenHash!: string;

  @Column({ type: 'jsonb' })
  scopes!: string[];

  /** The only one whose runs it may see and make; null: all. */
  @Column({ type: 'text', nullable: true })
  repository!: string | null;

  /** The principal who made it, in words. */
  @Column({ type: 'text' })
  createdBy!: string;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', nullable: true })
  expiresAt!: Date | null;

  @Column({ type: 'timestamptz', nullable: true })
  lastUsedAt!: Date | null;

  @Column({ type: 'timestamptz', nullable: true })
  revokedAt!: Date | null;
}
