import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { TestDeployment } from './deployment';
import type { Kept } from './everything-kept';

/** Ids of a deployment's containers: its trials' and their sidecars. */
export function containersOf({ namespace }: TestDeployment): string[] {
  const args = ['ps', '-aq', '--no-trunc', '--filter', `label=assay.namespace=${namespace}`];
  return execFileSync('docker', args, { encoding: 'utf8' })
    .split('\n')
    .filter((id) => id !== '');
}

/**
 * All that whoever looks at this machine sees of a deployment while it runs: what the engine says of its containers, the
 * arguments of every process, and the environment of each service.
 */
export async function everythingShown(deployment: TestDeployment): Promise<Kept[]> {
  const containers = containersOf(deployment).flatMap((id) => {
    const text = inspected(id);
    return text === null ? [] : [{ place: `inspect of ${id.slice(0, 12)}`, text }];
  });
  const services = [...deployment.services].map(async ([name, { pid }]) => ({
    place: `environment of ${name}`,
    text: await readFile(`/proc/${pid}/environ`, 'latin1'),
  }));
  const args = execFileSync('ps', ['-eo', 'args', '-ww'], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return [...containers, ...(await Promise.all(services)), { place: 'arguments', text: args }];
}

/** Null: it is gone meanwhile. */
function inspected(id: string): string | null {
  try {
    return execFileSync('docker', ['inspect', id], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return null;
  }
}
