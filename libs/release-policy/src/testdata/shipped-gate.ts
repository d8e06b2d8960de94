import { PROJECT_ROOT } from '@assay/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decideDispatch, type DispatchDecision, type DispatchFacts } from '../decide-dispatch.policy';
import { loadPolicy } from '../load-policy';

const file = join(PROJECT_ROOT, 'assay.policy.yaml');

/** The policy that Assay ships. */
export const SHIPPED = loadPolicy(readFileSync(file, 'utf8'), file);
export const REPOSITORY = 'QwenLM/qwen-code';
/** Notes of a prerelease that names what is evaluated. */
export const NOTES = "## What's Changed\r\n\r\nBenchmark-Qwen-Ref: v0.21.15\r\n";

export type Release = NonNullable<DispatchFacts['release']>;

/** A stable release without notes. */
export function aRelease(tag: string, more: Partial<Release> = {}): Release {
  return { tag, prerelease: false, draft: false, body: '', ...more };
}

export function decide(more: Partial<DispatchFacts>): DispatchDecision {
  return decideDispatch({ repository: REPOSITORY, event: 'release', release: null, inputs: {}, ...more }, SHIPPED);
}

/** What a published release does by itself. */
export function published(tag: string, more: Partial<Release> = {}): DispatchDecision {
  return decide({ release: aRelease(tag, more) });
}

export function reasonOf(decision: DispatchDecision): string {
  if (decision.decision === 'run') throw new Error(`it runs by ${decision.rule}`);
  return decision.reason;
}

export function runOf(decision: DispatchDecision): Extract<DispatchDecision, { decision: 'run' }> {
  if (decision.decision === 'skip') throw new Error(decision.reason);
  return decision;
}
