import { randomBytes } from 'node:crypto';
import { HttpStatus } from '@nestjs/common';
import { type DispatchReply, type DispatchRequest, ReleasePlan, RunId, type SkippedReceipt } from '@assay/contracts';
import {
  type Database,
  findSubmission,
  insertSubmission,
  runStateCounts,
  type SubmissionOutcome,
} from '@assay/persistence';
import { decideDispatch, type DispatchDecision, type ReleasePolicy } from '@assay/release-policy';
import { Refusal } from '@assay/service-kit';
import { currentTraceparent } from '@assay/telemetry';
import type { Logger } from 'pino';
import { Denied } from '../auth/denied';
import { nameOf, type Principal } from '../auth/principal';
import type { Poller } from '../polling/poller';
import type { FoundRelease, ReleaseLookup } from '../releases/release-lookup.port';
import { keyTaken } from '../runs/key-taken';
import type { ExpectedSuites } from './expected-suites';
import { type Admitted, originOf, submissionOf } from './origin';
import { ownRelease } from './own-release.policy';
import { receiptOf } from './receipt';

/** What the intake works with. */
export interface IntakeParts {
  readonly database: Database;
  /** Null: none is configured, and no release is taken. */
  readonly policy: ReleasePolicy | null;
  /** Null: nothing is configured that could be asked, and no release is taken. */
  readonly releases: ReleaseLookup | null;
  readonly suites: ExpectedSuites;
  readonly poller: Pick<Poller, 'wake'>;
  readonly defaultModel: string;
  readonly logger: Logger;
}

/** What a body asks of the suites that follow. */
const CHAIN_FIELDS = { limit: 'chainLimit', instanceId: 'chainInstanceId' };

type Run = Extract<DispatchDecision, { decision: 'run' }>;

/** Seconds to stay away from us where GitHub itself does not say how long it is away. */
const COME_AGAIN_SECONDS = 30;

/** Takes releases: asks GitHub what they are and the policy what becomes of them, stores the run, and answers at once. */
export class ReleaseIntake {
  constructor(private readonly parts: IntakeParts) {}

  /**
   * A key that is known already is answered first: GitHub may be away, and the release gone by now.
   * @throws Refusal 403 for what is not the caller's to hand in, 409 where the key has another body, 422 where there is no
   *   such release or suite, 503 where GitHub cannot be asked
   */
  async take(request: DispatchRequest, idempotencyKey: string, principal: Principal): Promise<DispatchReply> {
    const own = ownRelease(principal, request);
    if (own.answer === 'refused') throw new Denied(HttpStatus.FORBIDDEN, own.reason, own.message);
    const policy = this.requirePolicy();
    const key = { repository: spelled(policy, request.repository), idempotencyKey };
    const earlier = await findSubmission(this.parts.database, { ...key, received: request });
    if (earlier !== null) return this.receipt(earlier, idempotencyKey);

    const release = await this.requireRelease(request);
    const decision = decideDispatch({ ...request, release, inputs: request }, policy);
    if (decision.decision === 'skip') return this.skip(decision, request, principal);
    const admitted = await this.admit(decision, { request, release, principal, policy });
    const stored = await insertSubmission(this.parts.database, {
      ...key,
      request: submissionOf(admitted, this.parts.defaultModel),
      origin: originOf(admitted),
      runId: RunId.parse(`run-${randomBytes(8).toString('hex')}`),
      traceparent: currentTraceparent(),
    });
    if (stored.answer === 'accepted' && !stored.deduplicated) this.announce(stored, admitted);
    return this.receipt(stored, idempotencyKey);
  }

  private requirePolicy(): ReleasePolicy {
    const { policy } = this.parts;
    if (policy !== null) return policy;
    throw new Refusal(HttpStatus.SERVICE_UNAVAILABLE, 'no release is taken here: ASSAY_POLICY_FILE is not set');
  }

  /** What the caller says about a release is never believed. */
  private async requireRelease({ repository, releaseTag, releaseId }: DispatchRequest): Promise<FoundRelease> {
    const { releases } = this.parts;
    if (releases === null) {
      throw new Refusal(HttpStatus.SERVICE_UNAVAILABLE, 'no release is taken here: GITHUB_API_URL is not set');
    }
    const found = await releases.byTag(repository, releaseTag, new AbortController().signal);
    if (found.answer === 'not_yet') {
      const seconds = found.retryAfterSeconds ?? COME_AGAIN_SECONDS;
      throw new Refusal(HttpStatus.SERVICE_UNAVAILABLE, found.reason, [], { 'retry-after': String(seconds) });
    }
    if (found.answer === 'missing') {
      const message = `${repository} has no published release with the tag ${releaseTag}`;
      const problem = { field: 'releaseTag', value: releaseTag, expected: 'expected the tag of a published release' };
      throw new Refusal(HttpStatus.UNPROCESSABLE_ENTITY, message, [problem]);
    }
    const { id } = found.release;
    if (releaseId === undefined || releaseId === id) return found.release;
    const message = `the release ${releaseTag} of ${repository} has the id ${id}, not ${releaseId}`;
    const problem = { field: 'releaseId', value: releaseId, expected: `expected ${id}, or none` };
    throw new Refusal(HttpStatus.UNPROCESSABLE_ENTITY, message, [problem]);
  }

  /** A skip is an answer. It leaves a line in the log, and nothing else. */
  private skip(
    { rule, reason }: Extract<DispatchDecision, { decision: 'skip' }>,
    { repository, releaseTag, event }: DispatchRequest,
    principal: Principal,
  ): SkippedReceipt {
    const fields = { repository, releaseTag, event, rule, reason, caller: nameOf(principal) };
    this.parts.logger.info(fields, 'release skipped');
    return { schemaVersion: 'assay.receipt/1', status: 'SKIPPED', rule, reason };
  }

  private async admit(
    { rule, plan: planned }: Run,
    given: Pick<Admitted, 'request' | 'release' | 'principal'> & { readonly policy: ReleasePolicy },
  ): Promise<Admitted> {
    const { policy, ...rest } = given;
    const plan = ReleasePlan.parse(planned);
    const { suites } = this.parts;
    const expectedInstances = await suites.expected(plan);
    const chainInstances: (number | null)[] = [];
    for (const step of plan.chain) chainInstances.push(await suites.expected(step, CHAIN_FIELDS));
    const wanted = packageOf(policy, given.request.repository);
    return { ...rest, rule, plan, package: wanted, expectedInstances, chainInstances };
  }

  private announce(
    { run }: Extract<SubmissionOutcome, { answer: 'accepted' }>,
    { rule, request, principal }: Admitted,
  ) {
    const { repository, releaseTag, event } = request;
    const fields = { runId: run.id, suite: run.suite, repository, releaseTag, event, rule };
    this.parts.logger.info({ ...fields, caller: nameOf(principal) }, 'release taken');
    this.parts.poller.wake();
  }

  private async receipt(outcome: SubmissionOutcome, key: string): Promise<DispatchReply> {
    const { run } = outcome;
    const { origin } = run;
    // Only a release has such a body, so a run without an origin has another.
    if (outcome.answer === 'conflict' || origin === null) throw keyTaken(key, run);
    const states = (await runStateCounts(this.parts.database, [run.id])).get(run.id) ?? {};
    const instances = Object.values(states).reduce((sum, n) => sum + n, 0);
    const { deduplicated } = outcome;
    return receiptOf({ ...run, origin }, { deduplicated, frozenInstances: instances === 0 ? null : instances });
  }
}

function repositoryIn(policy: ReleasePolicy, repository: string) {
  return policy.repositories.find(({ name }) => name.toLowerCase() === repository.toLowerCase());
}

/**
 * A repository's runs, keys and tokens all go by its name in the policy, which stands for its id there: a workflow is let in
 * by the id, and under another name not at all.
 */
function spelled(policy: ReleasePolicy, repository: string): string {
  const listed = policy.access.repositories.find(({ name }) => name.toLowerCase() === repository.toLowerCase());
  return (listed ?? repositoryIn(policy, repository))?.name ?? repository;
}

function packageOf(policy: ReleasePolicy, repository: string): Admitted['package'] {
  const { registry, name } = repositoryIn(policy, repository)?.package ?? { registry: 'none', name: repository };
  return { registry, name };
}
