import type { ResultMessage } from '@assay/contracts';
import { afterGrade } from '@assay/lifecycle';
import type { Sql } from '../database';
import { closeTry } from './close-try';
import { followDecision } from './follow-decision';
import type { Followed, RecordContext } from './record-result';
import type { WorkProtocol } from './work-protocol';

type GradeResult = Extract<ResultMessage, { kind: 'grade' }>;

/** The failure code of tests that ran into their bound: graded once more on an idle worker. */
const TESTS_TIMED_OUT = 'tests_timed_out';

/** A grade ended: the instance has its verdict, the grade is repeated, or the instance is over without one. */
export async function recordGrade(
  sql: Sql,
  result: GradeResult,
  { locked, tried }: RecordContext,
  protocol: WorkProtocol,
): Promise<Followed> {
  const { key, outcome } = result;
  const { manifest, instances } = await protocol.manifests.of(sql, key.runId, locked.manifestDigest);
  const verdict = outcome.kind === 'graded' ? { verdict: outcome.verdict, reward: outcome.reward } : {};
  await closeTry(sql, result, tried.id, verdict);
  const decision = afterGrade(outcome, {
    tryNumber: tried.number,
    testTimeouts: locked.testTimeouts,
    retry: manifest.retry,
    patchOrigin: instances.get(key.instanceId)?.prediction === undefined ? 'trial' : 'prediction',
  });
  const testTimeout = outcome.kind === 'failed' && outcome.failure.code === TESTS_TIMED_OUT;
  const suspicions = outcome.kind === 'graded' ? outcome.suspicions : [];
  // Tests that timed out are no try of ours that failed: they are counted apart.
  const addTries = (testTimeout ? 0 : 1) - (tried.started ? 1 : 0);
  return followDecision(sql, locked, decision, { addTries, testTimeout, suspicions }, protocol);
}
