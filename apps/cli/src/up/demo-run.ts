import { TERMINAL_RUN_STATES, type RunView, type SubmitRequest } from '@assay/contracts';
import { randomUUID } from 'node:crypto';
import { say } from '../output';
import { DEMO_COMMIT, DEMO_REPOSITORY, DEMO_TAG } from './demo-release.client';
import type { Deployment } from './deployment';
import type { UpPlan } from './preflight';
import { Progress } from './progress';
import { pause } from './readiness';
import { RetryNotes } from './retry-notes';

const POLL_MS = 300;

/** Submits the suite for the demo release and shows its progress until the result stands on the release. */
export async function runDemo(deployment: Deployment, plan: UpPlan, signal: AbortSignal): Promise<RunView> {
  const release = await deployment.release.ensure();
  const body: SubmitRequest = {
    suite: plan.suiteName,
    evaluated: { ref: DEMO_TAG, commit: DEMO_COMMIT, packageVersion: DEMO_TAG.slice(1) },
    model: deployment.model,
    ...(plan.agent === null ? {} : { agent: plan.agent }),
    trigger: 'release',
    release: { repository: DEMO_REPOSITORY, id: release.id, tag: DEMO_TAG },
  };
  const { runId } = await deployment.api.submit(body, `up-${randomUUID()}`);
  say(`submitted ${runId}: suite ${plan.suiteName} for ${DEMO_REPOSITORY} ${DEMO_TAG}`);
  const progress = new Progress();
  const notes = new RetryNotes(
    async () => (await deployment.api.instances(runId)).instances,
    (line) => {
      progress.end();
      say(line);
    },
  );
  const started = Date.now();
  try {
    for (;;) {
      signal.throwIfAborted();
      const run = await deployment.api.run(runId);
      progress.show(run);
      if (isOver(run)) return run;
      await notes.look(run);
      if (run.lastError !== null && Date.now() - started > 5_000) say(`waiting: ${run.lastError}`);
      await pause(POLL_MS);
    }
  } finally {
    progress.end();
  }
}

/** Terminal, and nothing is left to be written to the release. */
function isOver({ state, publicationState }: RunView): boolean {
  const terminal = (TERMINAL_RUN_STATES as readonly string[]).includes(state);
  return terminal && publicationState !== 'PENDING' && publicationState !== 'WRITTEN';
}
