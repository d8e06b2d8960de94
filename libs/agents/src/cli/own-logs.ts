import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BlamedError } from '@assay/failures';
import type { AgentRun } from '../trial-agent.port';
import type { CliAdapter } from './cli-adapter';

const BOUNDS = { maxBytes: 67_108_864, maxEntries: 2_000 };

interface Parts {
  readonly adapter: CliAdapter;
  readonly home: string;
  readonly secret: string;
}

/**
 * Copies what the agent itself wrote about its work to the host, where somebody wants it. It stands beside the trajectory, so
 * what is missing of it fails nothing; the log says so. The token is overwritten in it, at the same length: some are databases.
 */
export async function keepOwnLogs(run: AgentRun, { adapter, home, secret }: Parts): Promise<void> {
  const dir = run.ownLogsDir ?? null;
  if (adapter.ownLogs === null || dir === null || run.signal.aborted) return;
  try {
    await run.sandbox.fetchFolder(`${home}/${adapter.ownLogs}`, dir, BOUNDS);
  } catch (error) {
    if (!(error instanceof BlamedError)) throw error;
    run.log(`\n[the agent's own log cannot be kept: ${error.code}: ${error.message}]\n`);
  }
  await overwrite(dir, Buffer.from(secret));
}

async function overwrite(dir: string, secret: Buffer): Promise<void> {
  if (secret.length === 0) return;
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const content = await readFile(path);
    let at = content.indexOf(secret);
    if (at === -1) continue;
    for (; at !== -1; at = content.indexOf(secret, at)) content.fill('*', at, at + secret.length);
    await writeFile(path, content);
  }
}
