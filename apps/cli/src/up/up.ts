import type { RunView } from '@assay/contracts';
import { resolve } from 'node:path';
import { localState } from '../local-deployment';
import { ExitError, say } from '../output';
import { projectRoot } from '../project-root';
import { startDeployment, type Deployment } from './deployment';
import { runDemo } from './demo-run';
import { requireEngineFor } from './engine-needs';
import { forever, onThisMachine } from './machine';
import { portIsFree, preflight, type UpPlan } from './preflight';
import { report, writeResult } from './report';
import { chooseSandbox, type Choosing, type SandboxChoice } from './sandbox-choice';
import type { UpOptions } from './up-options';

/**
 * A whole deployment on this machine: check, start, submit, watch, report, stop. The exit code is that of the verdict;
 * without `--once`, being stopped after the verdict is the asked-for end and exit 0.
 */
export async function up(options: UpOptions): Promise<void> {
  const plan = await preflight(options, projectRoot());
  const stateDir = options.stateDir === null ? localState() : resolve(options.stateDir);
  let concluded = false as boolean;
  try {
    const request = {
      stateDir,
      beforeStart: () => portIsFree(options.port),
      chooseSandbox: (how: Choosing) => chosenFor(plan, how),
    };
    await onThisMachine(request, async (machine) => {
      const deployment = await startDeployment({ plan, options, ...machine, note: say });
      const run = await runDemo(deployment, plan, machine.signal);
      await conclude(deployment, run, options);
      concluded = true;
      if (!options.once) await forever(machine.signal);
      process.exitCode = exitCodeOf(run);
    });
  } catch (error) {
    const stopped = error instanceof ExitError && error.code > 128;
    if (stopped && concluded && !options.once) return;
    throw error;
  }
}

/** Docker only if the engine has what the suite wants. */
async function chosenFor({ sandbox, needs }: UpPlan, how: Choosing): Promise<SandboxChoice> {
  const choice = await chooseSandbox(sandbox, how);
  if (choice.sandbox === 'docker') {
    const { engineSize } = await import('@assay-tools/images/choose');
    requireEngineFor(needs, await engineSize());
  }
  return choice;
}

async function conclude(deployment: Deployment, run: RunView, options: UpOptions): Promise<void> {
  say(await report(deployment, run));
  if (options.jsonFile !== null) writeResult(options.jsonFile, run);
  if (!options.once) say('\nrunning until Ctrl-C');
}

/** 0 SUCCEEDED, 3 QUARANTINED, 1 anything else. */
function exitCodeOf({ state }: RunView): number {
  if (state === 'SUCCEEDED') return 0;
  return state === 'QUARANTINED' ? 3 : 1;
}
