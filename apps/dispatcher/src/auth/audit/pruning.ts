import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { type Database, pruneAudit, pruneSpentTokens } from '@assay/persistence';
import type { Logger } from 'pino';
import type { SchemaGate } from '../../database/schema-gate';

/** Rows that one statement deletes at most, so that none holds others up. */
const BATCH = 5_000;

export interface PruningParts {
  readonly database: Database;
  readonly gate: SchemaGate;
  readonly logger: Logger;
  /** Days that a line of the audit log is kept. */
  readonly keptDays: number;
  readonly everyMs: number;
}

/** Deletes what is old enough of the audit log, and used tokens that nobody takes any more. */
export class Pruning implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly parts: PruningParts) {}

  /** Called by Nest. */
  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.running = this.running.then(() => this.prune());
    }, this.parts.everyMs);
  }

  /** Called by Nest. */
  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    if (this.timer !== null) clearInterval(this.timer);
    await this.running;
  }

  private async prune(): Promise<void> {
    const { database, gate, logger, keptDays } = this.parts;
    try {
      if ((await gate.missing()) !== null) return;
      await pruneSpentTokens(database);
      let deleted = BATCH;
      while (deleted === BATCH && !this.stopped) deleted = await pruneAudit(database, { keptDays, limit: BATCH });
    } catch (error) {
      logger.error({ err: error }, 'the audit log cannot be pruned; it is tried again');
    }
  }
}
