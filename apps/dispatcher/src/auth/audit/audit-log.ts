import { setTimeout as delay } from 'node:timers/promises';
import { type AuditEntry, insertAudit, type Sql } from '@assay/persistence';
import type { Logger } from 'pino';

/** Lines that one statement appends at most. */
const BATCH = 500;

/** Lines that are kept while the database is away; what comes beyond is in the log alone. */
const MOST_WAITING = 10_000;

const RETRY_MS = 1_000;

/** What the audit log works with. */
export interface AuditParts {
  readonly database: Sql;
  readonly logger: Logger;
}

/**
 * Writes every call down, twice: as a log line at once, and in the database at once, too, or with those that came
 * meanwhile. It holds nobody up and never throws.
 */
export class AuditLog {
  private readonly waiting: AuditEntry[] = [];
  private readonly stopping = new AbortController();
  private writing: Promise<void> | null = null;
  private failing = false;
  private lost = 0;

  constructor(private readonly parts: AuditParts) {}

  record(entry: AuditEntry): void {
    const { logger } = this.parts;
    if (entry.reason === null) logger.info({ audit: entry }, 'call accepted');
    else logger.info({ audit: entry }, 'call refused');
    if (this.waiting.length < MOST_WAITING) this.waiting.push(entry);
    else this.lost += 1;
    this.writing ??= this.write().finally(() => {
      this.writing = null;
    });
  }

  /** Resolves when all that was recorded is stored, or was tried once more in vain. */
  async drain(): Promise<void> {
    this.stopping.abort();
    await this.writing;
    if (this.waiting.length > 0) await this.write();
    if (this.waiting.length > 0) this.parts.logger.error({ calls: this.waiting.length }, 'calls are in the log alone');
  }

  private async write(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.slice(0, BATCH);
      if (await this.stored(batch)) this.waiting.splice(0, batch.length);
      else if (this.stopping.signal.aborted) return;
      else await delay(RETRY_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }

  private async stored(batch: readonly AuditEntry[]): Promise<boolean> {
    const { database, logger } = this.parts;
    try {
      await insertAudit(database, batch);
      if (this.lost > 0) logger.error({ calls: this.lost }, 'calls are in the log alone');
      this.lost = 0;
      this.failing = false;
      return true;
    } catch (error) {
      // Said once, not at every try.
      if (!this.failing) logger.error({ err: error }, 'the audit log cannot be written; it is tried again');
      this.failing = true;
      return false;
    }
  }
}
