import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { oneOf } from './checks';

/** Who a call was from, as far as it was proved. */
export const PRINCIPAL_KINDS = ['workflow', 'service', 'deployment', 'nobody'] as const;

/** A call of the HTTP API, accepted or refused; triggers keep the table append-only. */
@Entity('audit_log')
@Check('audit_log_principal_kind_check', oneOf('principal_kind', PRINCIPAL_KINDS))
@Index('audit_log_at', ['at'])
export class AuditLogEntity {
  /** A bigint, as text. */
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: string;

  @Column({ type: 'timestamptz' })
  at!: Date;

  @Column({ type: 'uuid' })
  requestId!: string;

  @Column({ type: 'text' })
  principalKind!: (typeof PRINCIPAL_KINDS)[number];

  /** In words; null for nobody. */
  @Column({ type: 'text', nullable: true })
  principal!: string | null;

  @Column({ type: 'text' })
  method!: string;

  /** e.g. `/v1/runs/:id`; null where the path leads to no route. */
  @Column({ type: 'text', nullable: true })
  route!: string | null;

  @Column({ type: 'text' })
  path!: string;

  @Column({ type: 'integer' })
  status!: number;

  /** Why it was refused. */
  @Column({ type: 'text', nullable: true })
  reason!: string | null;

  @Column({ type: 'text' })
  address!: string;
}
