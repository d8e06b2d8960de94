import { PROJECT_ROOT } from '@assay/testing';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line as a user does, in an environment without settings of ours, to its end. */
export function assay(...args: string[]): Ended {
  return assayIn({}, ...args);
}

/** Likewise, with some settings of the user's own. */
export function assayIn(env: Readonly<Record<string, string>>, ...args: string[]): Ended {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(PROJECT_ROOT, 'apps/cli/bin/assay.js'), ...args],
    {
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        ASSAY_NATS_SERVER: process.env['ASSAY_NATS_SERVER'],
        ...env,
      },
      timeout: 170_000,
    },
  );
  return { status, stdout, stderr };
}
