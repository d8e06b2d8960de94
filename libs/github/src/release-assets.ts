import { InfraError } from '@assay/failures';
import type { ReleaseAsset } from './release';
import type { NewAsset } from './new-asset';

/** True when an asset on the release is whole and has this content, as far as GitHub tells. */
export function isSame(found: ReleaseAsset, { size, digest }: Pick<NewAsset, 'size' | 'digest'>): boolean {
  if (!found.uploaded || found.size !== size) return false;
  return found.digest === null || found.digest === `sha256:${digest}`;
}

/**
 * The token goes only to the GitHub that is configured: to the API's own host, or to `uploads.` where that is `api.`.
 * @throws InfraError `github_upload_url`
 */
export function refuseForeignUploads(uploadUrl: string, baseUrl: string): void {
  const base = new URL(baseUrl);
  const target = new URL(uploadUrl.replace(/\{.*\}$/, ''));
  const allowed = [base.host, base.host.replace(/^api\./, 'uploads.')];
  if (target.protocol === base.protocol && allowed.includes(target.host)) return;
  throw new InfraError(`the release wants its uploads at ${target.host}, which is not the configured GitHub`, {
    code: 'github_upload_url',
    phase: 'publish',
    details: { uploadHost: target.host, apiHost: base.host },
  });
}
