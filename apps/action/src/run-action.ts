import { readEvent } from './event';
import { ActionFailure } from './failure';
import { freshToken } from './oidc-token';
import { report, reportSkip } from './report';
import { Runner } from './runner';
import { readSettings } from './settings';
import { submit } from './submit';

/**
 * The step: reads the event, hands the release over, tells what became of it.
 * @returns the exit code: 0, also where the release is skipped; 1 if it was not handed over
 */
export async function runAction(env: NodeJS.ProcessEnv, write: (text: string) => void): Promise<number> {
  const runner = new Runner(env, write);
  try {
    const settings = readSettings(env);
    const asked = readEvent(env);
    if (asked.kind === 'skip') {
      reportSkip(asked.what, asked.reason, runner);
      return 0;
    }
    if (asked.ignored.length > 0) {
      runner.warning(`${asked.ignored.join(', ')}: of no account for a release, whose run the policy decides`);
    }
    const receipt = await submit(asked, settings, () => freshToken(env, settings, runner), runner);
    report(receipt, asked.request.releaseTag, runner);
    return 0;
  } catch (error) {
    if (!(error instanceof ActionFailure)) throw error;
    runner.error(error.message);
    return 1;
  }
}
