import { randomBytes } from 'node:crypto';
import { HttpStatus, Inject, Injectable } from '@nestjs/common';
import { RunId, type SubmitReply, type SubmitRequest } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { Database, findSubmission, insertSubmission } from '@assay/persistence';
import { LOGGER, Refusal } from '@assay/service-kit';
import type { Suite } from '@assay/suites';
import { currentTraceparent } from '@assay/telemetry';
import type { Logger } from 'pino';
import { Denied } from '../auth/denied';
import { type Principal, repositoryOf } from '../auth/principal';
import { Poller } from '../polling/poller';
import { requireSelection } from '../suites/selection';
import { SuiteLibrary } from '../suites/suite-library';
import { keyTaken } from './key-taken';

/** Takes submissions: stores them and answers at once. All that takes time is the poller's. */
@Injectable()
export class Submissions {
  constructor(
    private readonly database: Database,
    private readonly library: SuiteLibrary,
    private readonly poller: Poller,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * A key that is known already is answered first: what it asked for may be gone by now.
   * @throws Refusal 403 for the release of another repository, and for an event that the caller cannot prove; 422 for an unknown suite, agent or instance and a limit that the suite does not have, 409 where the key has another body
   */
  async submit(request: SubmitRequest, idempotencyKey: string, caller: Principal): Promise<SubmitReply> {
    const repository = repositoryOf(caller);
    if (repository !== null) requireOwn(request, repository);
    requireOwnEvent(request, caller);
    // A token for the whole deployment says nothing about a repository.
    const key = { repository: repository ?? '', idempotencyKey };
    const earlier = await findSubmission(this.database, { ...key, received: request });
    if (earlier === null) await this.requireAllKnown(request);
    const outcome =
      earlier ??
      (await insertSubmission(this.database, {
        ...{ ...key, request, origin: null },
        runId: RunId.parse(`run-${randomBytes(8).toString('hex')}`),
        traceparent: currentTraceparent(),
      }));
    if (outcome.answer === 'conflict') throw keyTaken(idempotencyKey, outcome.run);
    const { run, deduplicated } = outcome;
    if (!deduplicated) {
      this.logger.info({ runId: run.id, suite: run.suite, trigger: request.trigger }, 'run submitted');
      this.poller.wake();
    }
    return { runId: run.id, status: run.state, statusUrl: `/v1/runs/${run.id}`, deduplicated };
  }

  private async requireAllKnown({ suite, agent, limit, instanceId }: SubmitRequest): Promise<void> {
    this.requireKnown('suite', suite, await this.library.names());
    const agents = this.library.agents.map(({ name }) => name);
    if (agent !== undefined) this.requireKnown('agent', agent, agents);
    const loaded = await this.readable(suite);
    if (loaded !== null) await requireSelection(loaded, { limit: limit ?? null, instanceId: instanceId ?? null });
  }

  /** Null for a suite that is broken: its run says what is wrong with it, when it is frozen. */
  private async readable(suite: string): Promise<Suite | null> {
    try {
      return await this.library.load(suite);
    } catch (error) {
      if (error instanceof TaskError) return null;
      throw error;
    }
  }

  private requireKnown(field: 'suite' | 'agent', value: string, known: readonly string[]): void {
    if (known.includes(value)) return;
    const expected = `expected one of: ${known.join(', ')}`;
    throw new Refusal(HttpStatus.UNPROCESSABLE_ENTITY, `unknown ${field}: ${value}`, [{ field, value, expected }]);
  }
}

/**
 * What a person starts is never written to a stable release, so a token that is handed around may not say that a release has
 * started it. The deployment's own token may do everything.
 */
function requireOwnEvent({ trigger }: SubmitRequest, caller: Principal): void {
  if (trigger === 'manual' || caller.kind === 'deployment') return;
  const message = `only a workflow can say that it was started by ${trigger}: expected manual`;
  throw new Denied(HttpStatus.FORBIDDEN, 'event_not_own', message);
}

function requireOwn({ release }: SubmitRequest, repository: string): void {
  if (release === undefined || release.repository.toLowerCase() === repository.toLowerCase()) return;
  throw new Denied(HttpStatus.FORBIDDEN, 'other_repository', `the token is for releases of ${repository} only`);
}
