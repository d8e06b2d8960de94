import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { ExitError } from '../output';

/** Variables of the script that name what must be on this machine. Assay has its own; whoever still sets one means it. */
const RESOURCES = [
  'DSW_POOL_ROOT',
  'POOL_BIN',
  'POOL_PYTHON',
  'SWE_VERIFIED_DATASET_ROOT',
  'EAS_TEMPLATE_MANIFEST',
  'ACR_IMAGE_MANIFEST',
  'ACR_IMAGE_STATE_DIR',
];

/**
 * What the environment names must be there; for the backend `harbor` the cache of agents (ASSAY_CACHE_DIR), too, and writable.
 * @throws ExitError 2, with the script's text
 */
export function requireResources(given: (name: string) => string | undefined, backend: string): void {
  for (const name of RESOURCES) {
    const path = given(name);
    if (path !== undefined && !existsSync(path)) throw new ExitError(2, `Required DSW resource is missing: ${path}`);
  }
  const cache = given('ASSAY_CACHE_DIR');
  if (backend !== 'harbor' || cache === undefined) return;
  if (!existsSync(cache) || !statSync(cache).isDirectory()) {
    throw new ExitError(2, `::error::Benchmark cache directory is missing: ${cache}`);
  }
  try {
    accessSync(cache, constants.W_OK);
  } catch {
    const { username } = userInfo();
    throw new ExitError(2, `::error::Benchmark cache directory is not writable by ${username}: ${cache}`);
  }
}
