import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { names, type RunFailure } from '@assay/contracts';
import { BlamedError, type FailureCode, TaskError } from '@assay/failures';
import {
  claimWaitingRun,
  type Database,
  failWaiting,
  notePackageLate,
  rescheduleWaiting,
  type RunRow,
} from '@assay/persistence';
import { inSpan, redactText } from '@assay/telemetry';
import type { Logger } from 'pino';
import type { SchemaGate } from '../database/schema-gate';
import { packageWait, pollDelaySeconds, type PollTimings } from './poll-timings.policy';
import type { RunFreezer } from './run-freezer';

/** Runs that are looked at side by side, so that a slow one holds up no other. */
const LOOPS = 4;

/** Failures that say only that a package is not there yet. */
const PACKAGE_CODES: ReadonlySet<string> = new Set<FailureCode>([
  'agent_package_missing',
  'agent_registry_unavailable',
]);

/** What the poller works with. */
export interface PollerParts {
  readonly database: Database;
  readonly gate: SchemaGate;
  readonly freezer: RunFreezer;
  readonly logger: Logger;
  readonly timings: PollTimings;
}

/**
 * Takes WAITING runs that are due, one after another, from any number of dispatchers, and freezes them. What stands in
 * the database is all it knows: a poller that dies leaves its run to the next one.
 */
export class Poller implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stopping = new AbortController();
  private failing = false;
  private loops: Promise<void>[] = [];
  private readonly sleepers = new Set<() => void>();

  constructor(private readonly parts: PollerParts) {}

  /** Called by Nest. */
  onApplicationBootstrap(): void {
    this.loops = Array.from({ length: LOOPS }, () => this.loop());
  }

  /** Called by Nest: resolves when what is being looked at is done, or given up. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await Promise.all(this.loops);
  }

  /** There may be a run that is due. */
  wake(): void {
    for (const wakeUp of this.sleepers) wakeUp();
  }

  private async loop(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      if (!(await this.turn())) await this.idle();
    }
  }

  /** True when there was a run; never rejects. */
  private async turn(): Promise<boolean> {
    try {
      const { gate, database, timings } = this.parts;
      if ((await gate.missing()) !== null) return false;
      const run = await claimWaitingRun(database, timings);
      if (run !== null) await this.look(run);
      this.failing = false;
      return run !== null;
    } catch (error) {
      // The database is away: said once, not at every look.
      if (!this.failing) this.parts.logger.error({ err: error }, 'waiting runs cannot be looked at');
      this.failing = true;
      return false;
    }
  }

  private async look(run: RunRow): Promise<void> {
    await inSpan('freeze', { parent: run.traceparent, attributes: { 'assay.run.id': run.id } }, async (span) => {
      try {
        const { queued, instances, warnings } = await this.parts.freezer.freeze(run, this.stopping.signal);
        const fields = { runId: run.id, instances, warnings };
        if (queued) this.parts.logger.info(fields, 'run frozen and queued');
        else this.parts.logger.info(fields, 'run was no longer waiting');
      } catch (error) {
        const reason = redactText(error instanceof Error ? error.message : String(error));
        span.fail(reason);
        await this.conclude(run, error, reason);
      }
    });
  }

  private async conclude(run: RunRow, error: unknown, reason: string): Promise<void> {
    const { database, logger, timings } = this.parts;
    const code = error instanceof BlamedError ? error.code : 'unknown';
    if (error instanceof TaskError) {
      await this.fail(run, { code, message: reason });
      return;
    }
    // Not the run's fault: it is due again when this poller's lease ends.
    if (this.stopping.signal.aborted) return;
    if (PACKAGE_CODES.has(code)) {
      await this.concludePackage(run, reason);
      return;
    }
    const asked = error instanceof BlamedError ? error.details['retryAfterSeconds'] : null;
    const delaySeconds = pollDelaySeconds(run.pollTries, typeof asked === 'number' ? asked : null, timings);
    await rescheduleWaiting(database, { runId: run.id, lastError: reason, delaySeconds, waitsFor: 'other' });
    logger.warn({ runId: run.id, code, delaySeconds, err: error }, 'run waits: it cannot be frozen yet');
  }

  /** A package is published after its release, and later than one thinks: waited for at an even pace, and not for ever. */
  private async concludePackage(run: RunRow, reason: string): Promise<void> {
    const { database, logger, timings } = this.parts;
    const next = packageWait(run.packageWaitSeconds, timings);
    if (next.wait === 'over') {
      const minutes = Number((timings.packageWaitSeconds / 60).toFixed(1));
      const message = `the package did not come within ${minutes} minutes; the registry's last answer: ${reason}`;
      await this.fail(run, { code: 'package_late', message });
      return;
    }
    const { delaySeconds } = next;
    await rescheduleWaiting(database, { runId: run.id, lastError: reason, delaySeconds, waitsFor: 'package' });
    logger.info({ runId: run.id, delaySeconds, reason }, 'run waits for its package');
    const late = await notePackageLate(database, { runId: run.id, afterSeconds: timings.packageLateSeconds });
    if (late) logger.warn({ runId: run.id, reason }, 'the package of a run is late');
  }

  private async fail(run: RunRow, failure: RunFailure): Promise<void> {
    const { database, freezer } = this.parts;
    const suite = await freezer.suiteOf(run);
    const failed = await database.transaction((sql) =>
      failWaiting(sql, { runId: run.id, failure, suite, names: names(database.namespace) }),
    );
    const { code, message } = failure;
    if (failed)
      this.parts.logger.warn({ runId: run.id, code, reason: message }, 'run failed: it can never be measured');
  }

  private idle(): Promise<void> {
    if (this.stopping.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wakeUp = (): void => {
        clearTimeout(timer);
        this.sleepers.delete(wakeUp);
        resolve();
      };
      const timer = setTimeout(wakeUp, this.parts.timings.idleMs);
      this.sleepers.add(wakeUp);
    });
  }
}
