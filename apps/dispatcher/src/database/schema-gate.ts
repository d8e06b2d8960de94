import { HttpStatus, Injectable, type CanActivate } from '@nestjs/common';
import { Database, pendingMigrations } from '@assay/persistence';
import { Refusal } from '@assay/service-kit';

/**
 * Whether the database has this build's schema. The coordinator migrates; until it has, the dispatcher is not ready,
 * polls nothing, and answers 503.
 */
@Injectable()
export class SchemaGate implements CanActivate {
  private open = false;

  constructor(private readonly database: Database) {}

  /** Null when the schema is there, else why not. @throws what the database says when it cannot be asked */
  async missing(): Promise<string | null> {
    if (this.open) return null;
    const pending = await pendingMigrations(this.database);
    this.open = pending.length === 0;
    return this.open ? null : `the coordinator has not migrated the schema yet (${pending.join(', ')})`;
  }

  async canActivate(): Promise<true> {
    const missing = await this.missing();
    if (missing !== null) throw new Refusal(HttpStatus.SERVICE_UNAVAILABLE, missing);
    return true;
  }
}
