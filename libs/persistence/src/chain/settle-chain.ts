import { randomBytes } from 'node:crypto';
import { assertNever, type ChainState, PublicationState, RunFailure, RunId, RunState } from '@assay/contracts';
import { afterInChain, type ChainedAfter, nextChainState } from '@assay/lifecycle';
import type { Sql } from '../database';
import { insertSubmission } from '../runs/insert-submission';
import { chainedSubmission, type HeadRow } from './chained-submission';
import { NEXT_AFTER } from './chain-row';
import { skipChain } from './skip-chain';

/** What became of the link that waited for a run. */
export type SettledLink =
  | { readonly link: 'started'; readonly suite: string; readonly runId: RunId }
  | { readonly link: 'skipped'; readonly suite: string; readonly reason: string };

interface NextRow extends HeadRow {
  readonly run_id: string;
  readonly position: number;
  readonly state: ChainState;
}

/**
 * Looks at what waits for a run in a chain, in the caller's transaction: its next link is started by a submission of its
 * own, or skipped, or left to wait. The link is locked, and leaves PENDING with the submission, so however often this is
 * called there is one run. Null: nothing waits for the run, or not to any end yet.
 */
export async function settleChain(sql: Sql, runId: RunId): Promise<SettledLink | null> {
  const [next] = await sql.query<NextRow>(
    `select c.run_id, c.position, c.state, c.suite, c.suite_limit, c.instance_id,
       r.repository, r.idempotency_key, r.request, r.origin, r.evaluated_commit, r.package_version, r.traceparent
     from chains c join runs r on r.id = c.run_id where ${NEXT_AFTER} for no key update of c`,
    [runId],
  );
  if (next === undefined) return null;
  const step = afterInChain(await runBefore(sql, runId));
  switch (step.step) {
    case 'wait':
      return null;
    case 'start':
      return start(sql, runId, next);
    case 'skip':
      await skipChain(sql, runId, step);
      return { link: 'skipped', suite: next.suite, reason: step.reason };
    default:
      return assertNever(step);
  }
}

async function start(sql: Sql, before: RunId, next: NextRow): Promise<SettledLink> {
  const submission = chainedSubmission(next, RunId.parse(`run-${randomBytes(8).toString('hex')}`));
  const stored = await insertSubmission(sql, submission);
  const { suite } = next;
  if (stored.answer === 'conflict' || stored.deduplicated) {
    const reason = `its idempotency key ${submission.idempotencyKey} belongs to the run ${stored.run.id} already`;
    await skipChain(sql, before, { cause: 'key_taken', reason });
    return { link: 'skipped', suite, reason };
  }
  await sql.query(
    `with started as (
       update chains set state = $5, child_run_id = $3, settled_at = now() where run_id = $1 and position = $2
     )
     insert into events (run_id, type, data)
     values ($1, 'chain.started', jsonb_build_object('suite', $4::text, 'runId', $3::text))`,
    [next.run_id, next.position, stored.run.id, suite, nextChainState(next.state, 'started')],
  );
  return { link: 'started', suite, runId: stored.run.id };
}

async function runBefore(sql: Sql, runId: RunId): Promise<ChainedAfter> {
  const [row] = await sql.query<{ state: string; publication_state: string; reason: string | null; failure: unknown }>(
    `select r.state, r.publication_state, p.reason, r.failure
     from runs r left join publications p on p.run_id = r.id where r.id = $1`,
    [runId],
  );
  if (row === undefined) throw new Error(`there is no run ${runId}`);
  return {
    runId,
    state: RunState.parse(row.state),
    publication: PublicationState.parse(row.publication_state),
    publicationReason: row.reason,
    failure: row.failure === null ? null : RunFailure.parse(row.failure),
  };
}
